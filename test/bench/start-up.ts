// How long commands take from their start to their end, beside the same Node with an empty file, gh, and short scripts that
// make the same requests with `fetch`.
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
const getName = '`get ORDER --json`, sandbox'

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

/** The commands, and orders that they have placed. */
const prepareCommands = (home: string, origin: string) => {
  const sandbox = createHome(path.join(home, 'sandbox'))
  const network = createHome(path.join(home, 'network'), accountAt(origin))
  const place = (env: NodeJS.ProcessEnv, ...flags: string[]): string =>
    run({ words: [...orderctl, ...create, ...flags], env }).trim()
  const own = place(sandbox, '--confirm', '--watch')
  const remote = place(network)
  const inSandbox = (...words: string[]): Command => ({ words: [...orderctl, ...words], env: sandbox })
  const onLoopback = (...words: string[]): Command => ({ words: [...orderctl, ...words], env: network })
  const commands = {
    '`--version`': inSandbox('--version'),
    '`--help`': inSandbox('--help'),
    '`list`': inSandbox('list'),
    [getName]: inSandbox('get', own, '--json'),
    '`get ORDER --json`, loopback': onLoopback('get', remote, '--json'),
    '`create --confirm`, loopback': onLoopback(...create, '--confirm'),
  }
  return { commands, remote, network, sandbox }
}

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
  const { commands, remote, network, sandbox } = prepareCommands(path.join(folder, 'ours'), service.origin)
  const filled = createHome(path.join(folder, 'filled'), accountAt(service.origin))
  run({ words: [...orderctl, ...create, '--confirm', '--watch'], env: filled })
  multiplyInFile(path.join(folder, 'filled', 'journal.db'), orders, { minutesApart: 1 })

  const gh = (flag: string): Readonly<Record<string, Command>> =>
    isInstalled('gh') ? { gh: { words: ['gh', flag], env: sandbox } } : {}
  const peers: Readonly<Partial<Record<string, Readonly<Record<string, Command>>>>> = {
    '`--version`': gh('--version'),
    '`--help`': gh('--help'),
    '`get ORDER --json`, loopback': { fetch: { words: [...script(fetchGet), remote], env: network } },
    '`create --confirm`, loopback': { '`fetch`, two requests': { words: script(fetchBuy), env: network } },
  }
  const tab = ['__complete', '--', 'get', '']
  const get = commands[getName]
  const rows: Row[] = [
    ...Object.entries(commands).map(([name, ours]) => ({ name, ours, others: peers[name] ?? {} })),
    { name: `TAB on an order, ${whole(orders)} orders`, ours: { words: [...orderctl, ...tab], env: filled } },
    { name: `${getName}, first run`, ours: get, removed: path.join(folder, 'ours', 'sandbox', '.cache') },
    ...(isStandaloneNew()
      ? [
          { name: '`--version`, single file', ours: { words: [standalone, '--version'], env: sandbox } },
          { name: `TAB, single file`, ours: { words: [standalone, ...tab], env: filled } },
          {
            name: `${getName}, single file`,
            ours: { words: [standalone, ...get.words.slice(2)], env: sandbox },
          },
        ]
      : []),
  ]

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
