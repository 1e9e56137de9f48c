// The bench of the commands: how long one takes from its start to its end, beside the same Node running an empty file
// (the floor), gh, two well-known npm command-line tools, and a script of a few lines that makes the same requests with
// Node's own fetch. By hyperfine, in rounds, by turns; each difference and ratio is of one round, and the median is
// shown. It judges nothing.
//
// Where the time went, by --cpu-prof, a hook on Module._load, and strace (milliseconds on 2 cores, floor 23):
// - ES modules: an import of node:fs, node:http or node:process reads every export, getters too, and loads streams,
//   worker_threads, undici: 12. So dist/ is CommonJS, and builtin modules are got whole.
// - Functions that V8 compiled late are not in Node's compile cache. So the build puts function expressions in
//   parentheses: 10 of a get. The standalone executable embeds the compiled code of all functions.
// - zod, for an answer: 8; now for what people write alone. Its classic dialect takes 12 more to load.
// - Patterns of all the letters there are: 30 in string-width, 5 in ours; made where a text asks for them.
// - undici's HTTP/2: 33 of a get over the network. chalk's and commander's own imports: 5 and 3.
// - Flags of commands that were not asked for: 3. process.stdout, which is a stream: 3.
// - A file of its own for each module: 0.3 each; what is always loaded together stands in one.
// What is left of a sandbox get: finding and reading 8 files and their compiled code 7, the command tree 5, opening the
// sandbox 5, masking 5, garbage collection 4, the journal 3, the rest 3.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'
import { filledJournal } from './filled-journal.ts'
import { executable, folder, startService } from './servers.ts'
import { median, renderTable } from './table.ts'

const rounds = 7
const runs = 10
const journaled = 100_000
const peers = ['eslint', 'prettier']

const file = (name: string, text: string): string => {
  const whole = path.join(folder, name)
  writeFileSync(whole, text)
  return whole
}

const node = process.execPath
const floor = `${node} ${file('empty.cjs', '')}`
const ours = `${node} ${executable}`
const alone = path.resolve('standalone/orderctl')

// As anybody would write it: the same requests, the answer printed.
const fetchGet = file(
  'get.mjs',
  `const [base, id] = process.argv.slice(2)
const response = await fetch(\`\${base}/order/get?orderId=\${id}\`, { headers: { 'x-api-key': 'sandbox' } })
if (!response.ok) throw new Error(\`HTTP \${response.status}: \${await response.text()}\`)
const { data } = await response.json()
console.log(JSON.stringify(data, null, 2))
`,
)
const fetchBuy = file(
  'buy.mjs',
  `const [base] = process.argv.slice(2)
const call = async (method, path, body) => {
  const headers = { 'x-api-key': 'sandbox', 'content-type': 'application/json' }
  const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(\`HTTP \${response.status}: \${await response.text()}\`)
  return (await response.json()).data
}
const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }
const { id } = await call('POST', '/order/create', { productList: [line], wallet: 'USD', reference: crypto.randomUUID() })
console.log(await call('PUT', '/order/confirm', { orderId: id }))
`,
)

type Row = {
  readonly what: string
  /** Commands by name, in a shell's words; the first is ours. */
  readonly commands: Readonly<Record<string, string>>
  readonly before?: string
  readonly env?: NodeJS.ProcessEnv
}

const home = path.join(folder, 'home')
const cache = path.join(home, '.cache')
mkdirSync(cache, { recursive: true })
const environment = { PATH: process.env.PATH, HOME: home, CI: 'true' }

const hyperfine = (commands: readonly string[], { before, env }: Pick<Row, 'before' | 'env'>): number[] => {
  const results = path.join(folder, 'hyperfine.json')
  const words = ['--shell=none', '--warmup=1', `--runs=${runs}`, `--export-json=${results}`]
  const prepare = before === undefined ? [] : [`--prepare=${before}`]
  execFileSync('hyperfine', [...words, ...prepare, ...commands], {
    env: { ...environment, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return JSON.parse(readFileSync(results, 'utf8')).results.map(
    (each: { median: number }) => each.median * 1000,
  )
}

const ms = (value: number): string => value.toFixed(1)
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${ms(Math.abs(value))}`

const measured = (row: Row): string[] => {
  const all: Readonly<Record<string, string>> = { ...row.commands, floor }
  const names = Object.keys(all)
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    // Whoever begins has the caches cold.
    const order = round % 2 === 0 ? names : names.toReversed()
    const found = hyperfine(
      order.map((name) => all[name] ?? ''),
      row,
    )
    for (const [at, name] of order.entries()) times[name]?.push(found[at] ?? Number.NaN)
  }
  const ofRounds = (name: string, how: (theirs: number, our: number) => number): number =>
    median((times[name] ?? []).map((theirs, round) => how(theirs, times.ours?.[round] ?? Number.NaN)))
  const beside = names
    .filter((name) => name !== 'ours' && name !== 'floor')
    .map(
      (name) =>
        `${name} ${ms(median(times[name] ?? []))} (${ofRounds(name, (theirs, our) => our / theirs).toFixed(2)})`,
    )
  return [
    row.what,
    ms(median(times.ours ?? [])),
    ms(median(times.floor ?? [])),
    signed(ofRounds('floor', (theirs, our) => our - theirs)),
    beside.join(', '),
  ]
}

const installPeers = (): Record<'version' | 'help', Record<string, string>> => {
  const place = path.join(folder, 'peers')
  mkdirSync(place)
  writeFileSync(path.join(place, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...peers], { cwd: place })
  const asked = (flag: string) => ({
    ...(spawnSync('gh', ['--version']).status === 0 ? { gh: `gh ${flag}` } : {}),
    ...Object.fromEntries(peers.map((name) => [name, `${node} ${place}/node_modules/.bin/${name} ${flag}`])),
  })
  return { version: asked('--version'), help: asked('--help') }
}

const peakMemory = (words: readonly string[]): number => {
  const hook = file(
    'peak.cjs',
    `process.on('exit', () => require('node:fs').writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS)))`,
  )
  const peak = path.join(folder, 'peak')
  const env = { ...environment, NODE_OPTIONS: `--require ${hook}`, PEAK: peak }
  const one = () => {
    execFileSync(node, words, { env, stdio: 'ignore' })
    return Number(readFileSync(peak, 'utf8')) * 1024
  }
  return median(Array.from({ length: 5 }, one))
}

const orderctl = (...words: string[]): string =>
  execFileSync(node, [executable, ...words], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim()

const packedSize = (): number =>
  JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString(),
  )[0].size

if (spawnSync('hyperfine', ['--version']).error !== undefined) {
  console.error('hyperfine is missing: apt-get install hyperfine (gh, too, for its column)')
  process.exit(1)
}
const { version, help } = installPeers()
const service = await startService('--processing-time=1h')
const base = `http://127.0.0.1:${service.port}`
const network = { ORDERCTL_BASE_URL: base, ORDERCTL_API_KEY: 'sandbox' }
const sandboxed = orderctl('create', '--product=GAME-US:25x2', '--wallet=USD', '--confirm', '--watch', '-q')
const [remote = ''] = execFileSync(
  node,
  [executable, 'create', '--product=GAME-US:25', '--wallet=USD', '-q'],
  {
    env: { ...environment, ...network },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
)
  .toString()
  .split('\n')
const many = { ORDERCTL_STATE_DIR: await filledJournal(path.join(folder, 'many'), journaled) }
const noCache = { before: `rm -rf ${cache}` }
// Where it was made of what is timed here.
const isMade = existsSync(alone) && statSync(alone).mtimeMs > statSync('dist/main.cjs').mtimeMs
const standalone = (what: string, words: string, env = {}): Row[] =>
  isMade ? [{ what: `${what}, standalone`, commands: { ours: `${alone} ${words}` }, env }] : []

const get = `get ${sandboxed} --json`
const tab = "__complete -- get ''"
const rows: Row[] = [
  { what: '--version', commands: { ours: `${ours} --version`, ...version } },
  { what: '--help', commands: { ours: `${ours} --help`, ...help } },
  {
    what: `TAB after "get", ${journaled / 1000},000 orders`,
    commands: { ours: `${ours} ${tab}` },
    env: many,
  },
  { what: 'get ORDER --json, sandbox', commands: { ours: `${ours} ${get}` } },
  {
    what: 'get ORDER --json, loopback',
    commands: { ours: `${ours} get ${remote} --json`, fetch: `${node} ${fetchGet} ${base} ${remote}` },
    env: network,
  },
  {
    what: 'create --confirm, loopback',
    commands: {
      ours: `${ours} create --product=GAME-US:25 --wallet=USD --confirm -q`,
      'fetch, twice': `${node} ${fetchBuy} ${base}`,
    },
    env: network,
  },
  { what: '--version, no cache yet', commands: { ours: `${ours} --version` }, ...noCache },
  { what: 'get, no cache yet', commands: { ours: `${ours} ${get}` }, ...noCache },
  { what: '--version, HOME read-only', commands: { ours: `${ours} --version` }, env: { HOME: '/proc' } },
  ...standalone('--version', '--version'),
  ...standalone('TAB', tab, many),
  ...standalone('get, sandbox', get),
]
try {
  const cells = rows.map(measured)
  const { model = 'unknown' } = cpus()[0] ?? {}
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${model}), ${rounds} rounds of ${runs} runs; milliseconds, medians\n`,
  )
  console.log(
    renderTable([['', 'orderctl', 'bare Node', 'difference', 'others (orderctl / theirs)'], ...cells]),
  )
  const [bare, got] = [
    peakMemory([path.join(folder, 'empty.cjs')]),
    peakMemory([executable, ...get.split(' ')]),
  ]
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  console.log(
    `\npeak memory of get: ${mb(got)} MB, bare Node ${mb(bare)}: +${mb(got - bare)}; packed: ${mb(packedSize())} MB`,
  )
} finally {
  await service.stop()
}
