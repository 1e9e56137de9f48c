// How long commands take from their start to their end, beside the same Node with an empty file, gh, curl, and short scripts
// that make the same requests with `fetch`.
//
// Where the time of a `get` in the sandbox went, by --cpu-prof, a hook on Module._load, and strace (in milliseconds):
// - An ES import of node:fs, node:http or node:process reads every export, getters too: 12. So dist/ is CommonJS.
// - Functions that V8 compiled late are not in Node's compile cache: 10. So the build puts function expressions in
//   parentheses. The standalone executable embeds the compiled code of all functions.
// - zod for a response: 8, and 12 more for its classic dialect. Now it reads only what people write.
// - Patterns of all letters: 30 in string-width, 5 in orderctl. They are compiled when a text needs them.
// - undici's HTTP/2: 33 of a `get` over the network. The imports of chalk and commander: 5 and 3.
// - The flags of other commands: 3. process.stdout, which is a stream: 3. Each file: 0.3. Masking: 1.5.
import { existsSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInstalled } from '../support/installed.ts'
import { openScratch } from '../support/scratch.ts'
import { compare, median, type Size, type Table, takeTurns, whole } from './measure.ts'
import { multiplyInFile } from './multiply-orders.ts'
import {
  accountAt,
  bareNode,
  type Command,
  createHome,
  measureUsage,
  orderctl,
  run,
  startService,
  time,
} from './processes.ts'

const sizes = {
  smoke: { rounds: 1, runs: 1, orders: 100 },
  normal: { rounds: 5, runs: 10, orders: 100_000 },
}

/** The same requests in a few lines. They print the response. */
const fetchGet = `
const response = await fetch(process.env.ORDERCTL_BASE_URL + '/order/get?orderId=' + process.argv[1], {
  headers: { 'x-api-key': 'sandbox' },
})
if (!response.ok) throw new Error(await response.text())
console.log(JSON.stringify((await response.json()).data, null, 2))`
const fetchBuy = `
const call = async (method, path, body) => {
  const headers = { 'x-api-key': 'sandbox', 'content-type': 'application/json' }
  const response = await fetch(process.env.ORDERCTL_BASE_URL + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()).data
}
const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }
const { id } = await call('POST', '/order/create', { productList: [line], wallet: 'USD', reference: crypto.randomUUID() })
console.log(await call('PUT', '/order/confirm', { orderId: id }))`

const script = (text: string): string[] => [process.execPath, '--input-type=module', '--eval', text]

/** The median of several runs in milliseconds. The folder `removed` is removed before each run. */
const timeRuns = (command: Command, runs: number, removed?: string): number =>
  median(
    Array.from({ length: runs }, () => {
      if (removed !== undefined) rmSync(removed, { recursive: true, force: true })
      return time(command)
    }),
  )

const create = ['create', '--product=GAME-US:25', '--wallet=USD', '-q']

const standalone = path.resolve('standalone/orderctl')
/** Otherwise it is not the build that is measured. */
const isStandaloneNew = (): boolean =>
  existsSync(standalone) && statSync(standalone).mtimeMs > statSync('dist/main.cjs').mtimeMs

const readPackedMegabytes = (): string => {
  const words = ['npm', 'pack', '--dry-run', '--json', '--ignore-scripts']
  return (JSON.parse(run({ words, env: process.env }))[0].size / 1e6).toFixed(1)
}

type Row = {
  readonly name: string
  readonly ours: Command
  readonly others?: Readonly<Record<string, Command>>
  /** A folder that is removed before each run. */
  readonly removed?: string
}

export const measureStartUp = async (size: Size): Promise<Table> => {
  const { rounds, runs, orders } = sizes[size]
  using scratch = openScratch()
  const { folder } = scratch
  await using service = await startService(path.join(folder, 'service'))
  const homeOf = (name: string): string => path.join(folder, name)
  const sandbox = createHome(homeOf('sandbox'))
  const network = createHome(homeOf('network'), accountAt(service.origin))
  const filled = createHome(homeOf('filled'), accountAt(service.origin))
  const by =
    (program: readonly string[], env: NodeJS.ProcessEnv) =>
    (...words: string[]): Command => ({ words: [...program, ...words], env })
  const inSandbox = by(orderctl, sandbox)
  const onLoopback = by(orderctl, network)
  const own = run(inSandbox(...create, '--confirm', '--watch')).trim()
  const remote = run(onLoopback(...create)).trim()
  run(by(orderctl, filled)(...create, '--confirm', '--watch'))
  multiplyInFile(path.join(homeOf('filled'), 'journal.db'), orders, { minutesApart: 1 })

  const url = `${service.origin}/order/get?orderId=${remote}`
  const curl: Row['others'] = isInstalled('curl')
    ? { curl: { words: ['curl', '-sS', '--fail', '-H', 'x-api-key: sandbox', url], env: network } }
    : {}
  const gh = (flag: string): Row['others'] =>
    isInstalled('gh') ? { gh: { words: ['gh', flag], env: sandbox } } : {}
  const tab = ['__complete', '--', 'get', '']
  const get = inSandbox('get', own, '--json')
  const getName = '`get ORDER --json`, sandbox'
  const rows: Row[] = [
    { name: '`--version`', ours: inSandbox('--version'), others: gh('--version') },
    { name: '`--help`', ours: inSandbox('--help'), others: gh('--help') },
    { name: '`list`', ours: inSandbox('list') },
    { name: getName, ours: get },
    {
      name: '`get ORDER --json`, loopback',
      ours: onLoopback('get', remote, '--json'),
      others: { fetch: by(script(fetchGet), network)(remote), ...curl },
    },
    {
      name: '`create --confirm`, loopback',
      ours: onLoopback(...create, '--confirm'),
      others: { '`fetch`, two requests': by(script(fetchBuy), network)() },
    },
    { name: `TAB on an order, ${whole(orders)} orders`, ours: by(orderctl, filled)(...tab) },
    { name: `${getName}, first run`, ours: get, removed: path.join(homeOf('sandbox'), '.cache') },
  ]
  if (isStandaloneNew())
    rows.push(
      { name: '`--version`, single file', ours: by([standalone], sandbox)('--version') },
      { name: 'TAB, single file', ours: by([standalone], filled)(...tab) },
      { name: `${getName}, single file`, ours: by([standalone], sandbox)('get', own, '--json') },
    )

  const measureRow = async ({ name, ours, others = {}, removed }: Row): Promise<string[]> => {
    const bare = { words: bareNode, env: sandbox }
    const sides = Object.entries({ ...others, bare, ours }).map(
      ([side, command]) => [side, () => timeRuns(command, runs, removed)] as const,
    )
    const found: Record<string, number[]> = await takeTurns(rounds, Object.fromEntries(sides))
    const compareWith = (side: string) => compare(found.ours ?? [], found[side] ?? [])
    const floor = compareWith('bare')
    const besides = Object.keys(others).map((side) => {
      const { theirs, ratio } = compareWith(side)
      return `${side} ${theirs.toFixed(1)} (${ratio.toFixed(2)})`
    })
    return [name, floor.ours.toFixed(1), floor.theirs.toFixed(1), floor.ratio.toFixed(2), besides.join(', ')]
  }
  const measured: string[][] = []
  for (const row of rows) measured.push(await measureRow(row))

  const readPeak = (command: Command): number =>
    median(Array.from({ length: runs }, () => measureUsage(command).megabytes))
  const peak = readPeak(get) - readPeak({ words: bareNode, env: sandbox })
  return {
    title: 'Start-up',
    columns: ['', 'orderctl, ms', 'bare Node, ms', 'ratio', 'others, ms (orderctl / theirs)'],
    rows: measured,
    note: `Medians of ${rounds} rounds of ${runs} runs. 'Single file' is the executable that includes Node. At its peak, \`get\` uses ${peak.toFixed(0)} MB more memory than bare Node. The package has ${readPackedMegabytes()} MB and no dependencies.`,
  }
}
