// The surroundings of a run: variables, a terminal, responses that repeat secrets, crashes.
import type { HttpResponse } from '../../src/contract/transport.ts'
import { canaries, writtenKeys } from './canaries.ts'

export type Around = {
  readonly env?: (place: { readonly home: string; readonly url: string }) => Record<string, string>
  readonly input?: string
  /** A sh script that runs orderctl. */
  readonly under?: string
  /** Changes the service's response. */
  readonly says?: (response: HttpResponse) => HttpResponse
}

const { K, C, P, S, L } = canaries

const answeringWith = (
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Around => ({
  says: () => ({ status, headers: { 'content-type': type, ...headers }, body }),
})

type Loose = { [name: string]: Loose }

/** Changes the data of an order, but no other response. */
const inOrder = (change: (data: Loose) => unknown): Around => ({
  says: (response) => {
    const document = JSON.parse(String(response.body))
    if (document.data?.redeem === undefined) return response
    change(document.data)
    return { ...response, body: JSON.stringify(document) }
  },
})

const preloading = (name: string, option = ''): Around => ({
  env: () => ({
    NODE_OPTIONS: `${option} --import ${new URL('preload.ts', import.meta.url).href}`,
    SECRETS_HARM: name,
  }),
})

const terminal = 'exec script -qefc "stty cols 200; exec $*" /dev/null'

const repeatEverywhere = (data: Loose): void => {
  const [{ cards }] = Object.values(data.redeem as Loose) as unknown as [
    { cards: [{ redeemCardCode: string }] },
  ]
  const code = cards[0].redeemCardCode
  const said = `${code}, ${P}, ${S}, ${L}`
  Object.assign(data, { reference: said, note: said, voucher: { id: code } })
  Object.assign(data, {
    result: { code },
    extra: [{ [S]: [P.toLowerCase()], text: encodeURIComponent(L) }],
  })
  Object.assign(data.invoice as Loose, { status: code, paymentMethod: P })
  for (const record of (data.invoice as Loose).records as unknown as Loose[])
    for (const item of record.items as unknown as Loose[]) Object.assign(item, { description: said })
  for (const product of Object.values(data.products as Loose))
    Object.assign(product.shopItem as Loose, { name: said })
}

/** Without these, the order would be another one. The cards are canaries of their own. */
const deciding = /^(?:id|uid|state|sku|wallet|reference|redeem[A-Z]\w+|.*[cC]urrency)$/

const repeatKey = (value: unknown, said: string): unknown => {
  if (typeof value === 'string') return `${value} ${said}`
  if (Array.isArray(value)) return value.map((each) => repeatKey(each, said))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    deciding.test(name) && typeof field === 'string' ? field : repeatKey(field, said),
  ])
  return Object.fromEntries(fields)
}

/** In all texts of a success, in names and in headers. */
const repeatingKey = (response: HttpResponse): HttpResponse => {
  const said = writtenKeys.join(' ')
  const document = repeatKey(JSON.parse(String(response.body)), said) as { readonly data: object }
  const echo = {
    echo: said,
    names: Object.fromEntries(writtenKeys.map((key) => [key, key])),
    list: writtenKeys,
  }
  const body = JSON.stringify({ ...document, data: { ...document.data, ...echo }, ...echo })
  const headers = { ...response.headers, 'x-request-id': said, 'request-id': said, 'x-echo': said }
  const { 'content-length': _, ...others } = headers as Record<string, string>
  return { ...response, headers: others, body }
}

export const surroundings: Readonly<Record<string, Around>> = {
  '': {},
  terminal: { under: terminal, env: () => ({ TERM: 'xterm', LANG: 'C.UTF-8' }) },
  'all by variable': { env: () => ({ ORDERCTL_DEBUG: '1', ORDERCTL_JSON: '1', NODE_DEBUG: '' }) },
  'logs of Node': { env: () => ({ NODE_DEBUG: 'fetch,undici,http,net,tls,stream' }) },
  'key by variable': { env: ({ url }) => ({ ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: K }) },
  'wrong key': { env: ({ url }) => ({ ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: `${K}x` }) },
  'key in address': {
    env: ({ url }) => ({
      ORDERCTL_BASE_URL: url.replace('//', `//me:${encodeURIComponent(K)}@`),
      ORDERCTL_API_KEY: K,
    }),
  },
  'nobody there': {
    env: () => ({
      ...{ ORDERCTL_BASE_URL: 'http://orders.invalid', ORDERCTL_API_KEY: K, ORDERCTL_ALLOW_HTTP: '1' },
      HTTP_PROXY: `http://me:${encodeURIComponent(K)}@127.0.0.1:1`,
    }),
  },
  'key on stdin': { input: `${K}\n` },
  refusal: answeringWith(
    400,
    'application/json',
    JSON.stringify({ message: `no key like ${K}: ${C} ${S} ${P} ${L}` }),
  ),
  page: answeringWith(502, 'text/html', `<title>${K} ${C}</title><p>${P} ${S} ${L}`),
  moved: answeringWith(302, 'text/plain', '', { location: `http://127.0.0.1:1/?key=${K}&code=${C}&to=${L}` }),
  half: { says: (response) => ({ ...response, body: `${response.body}`.slice(0, -3) }) },
  'wrong types': inOrder((data) => Object.assign(data, { createdDate: C, [P]: S, exchangeRates: L })),
  'other shapes': inOrder((data) =>
    Object.assign(data, { redeem: { 'GAME-US': [[C], { x: { y: P } }, S, L] } }),
  ),
  'told all over': inOrder(repeatEverywhere),
  'key repeated': { says: repeatingKey },
  'key in the id': {
    says: (response) => ({
      ...response,
      body: `${response.body}`.replace(/"id":"/, `$&${encodeURIComponent(K)}-`),
    }),
  },
  clipboard: { env: () => ({ DISPLAY: ':0' }) },
  'clipboard, key by variable': {
    env: ({ url }) => ({ DISPLAY: ':0', ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: K, PGPASSWORD: K }),
  },
  'no clipboard': {},
  'full disk': preloading('full disk'),
  'killed at fsync': preloading('killed at fsync'),
  defect: preloading('defect'),
  uncaught: preloading('uncaught'),
  'out of memory': preloading('out of memory', '--max-old-space-size=64'),
  aborted: preloading('aborted'),
  killed: preloading('killed'),
  interrupted: preloading('interrupted'),
  'closed stdout': { under: '"$@" | true' },
  'full stdout': { under: 'exec "$@" > /dev/full' },
}
