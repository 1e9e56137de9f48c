// The secrets, and a search for all their spellings in bytes.
export const canaries = {
  K: 'k3y:CANARY/of+the-account=5162',
  C: 'CANA-RYC0-DE9F-3KX7',
  P: 'PX7Q-81MN-2ZK4',
  S: 'SER5-5501-1997-342Q',
  L: 'https://redeem.example/GAME-US/L1NK-77QX-CANARY-0001',
} as const

const { K } = canaries
const login = (user: string, way: 'base64' | 'base64url') => Buffer.from(`${user}:${K}`).toString(way)
const numbers = (text: string, base: 10 | 16) =>
  text.replaceAll(/./g, (letter) => `&#${base === 16 ? 'x' : ''}${letter.charCodeAt(0).toString(base)};`)

/** The ways in which a service may repeat the key. */
export const writtenKeys: readonly string[] = [
  ...[K, K.toLowerCase(), `Bearer ${K}`, K.replaceAll('/', '\\/')],
  ...['', 'me', 'you', 'them'].flatMap((user) => [login(user, 'base64'), login(user, 'base64url')]),
  ...[btoa(K), btoa(`${K}:`), btoa(K).replaceAll('=', ''), encodeURIComponent(btoa(`${K}:`))],
  ...[encodeURIComponent(K), encodeURIComponent(K).toLowerCase(), encodeURI(K)],
  ...[encodeURIComponent(encodeURIComponent(K)), numbers(K, 10), numbers(K, 16), K.replaceAll('/', '&sol;')],
]

/** A masked value may keep its last characters. */
const shownAtMost = 4

const spellings = (canary: string): Buffer[] => {
  const whole = canary.slice(0, -shownAtMost)
  const texts = [
    ...[whole, whole.toLowerCase(), whole.replaceAll('-', ''), whole.replaceAll('-', ' ')],
    ...[encodeURIComponent(whole), JSON.stringify(whole).slice(1, -1), whole.replaceAll('/', '\\/')],
    ...[whole.replaceAll('&', '&amp;'), Buffer.from(whole).toString('hex')],
    // The last group depends on the bytes that follow.
    Buffer.from(canary).toString('base64').slice(0, -4),
    Buffer.from(canary).toString('base64url').slice(0, -4),
    ...['x', 'xx'].map((user) =>
      Buffer.from(user + canary)
        .toString('base64')
        .slice(4, -4),
    ),
    ...[encodeURIComponent(whole).toLowerCase(), numbers(whole, 10), numbers(whole, 16)],
  ]
  return [...new Set(texts)].map((text) => Buffer.from(text)).concat(Buffer.from(whole, 'utf16le'))
}

const all = Object.entries(canaries).map(([name, canary]) => ({ name, wanted: spellings(canary) }))

/** The letters of the found canaries, such as `CPS`. */
export const foundIn = (bytes: Buffer): string =>
  all
    .filter(({ wanted }) => wanted.some((each) => bytes.includes(each)))
    .map(({ name }) => name)
    .join('')
