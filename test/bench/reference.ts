// The source of today beside that of a fixed commit, in pairs: small losses of many changes add up unseen otherwise.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { TestDatabase } from '../support/postgres/database.ts'
import { openScratch } from '../support/scratch.ts'
import { journalIn, startDatabases } from './database-server.ts'
import { compare, type Size, type Table, takeTurns, whole } from './measure.ts'
import { multiplyInDatabase, multiplyInFile } from './multiply-orders.ts'
import {
  accountAt,
  type Command,
  createHome,
  measureUsage,
  orderctl,
  startServiceOf,
  type Usage,
} from './processes.ts'
import { kinds, prepareLoads } from './serve-mock.ts'

/** The last commit of the round before. */
const referenceCommit = 'a9c6413a'

const sizes = {
  smoke: { rounds: 1, manyRounds: 1, longRounds: 1, requests: 50, orders: 5, many: 100 },
  normal: { rounds: 100, manyRounds: 20, longRounds: 6, requests: 4_000, orders: 100, many: 100_000 },
}

/** Builds the commit once, with the packages of today, so that only the source differs. Returns its folder. */
const buildReference = (): string => {
  // Not in node_modules, where Node does not strip types.
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
  const folder = path.join(caches, 'orderctl-bench', referenceCommit)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}-${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const archive = execFileSync('git', ['archive', referenceCommit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive })
  symlinkSync(path.resolve('node_modules'), path.join(unfinished, 'node_modules'))
  execFileSync(process.execPath, ['build/bundle.ts'], {
    cwd: unfinished,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  renameSync(unfinished, folder)
  return folder
}

type Sample = Pick<Usage, 'ms' | 'cpuMs'>

const create = ['create', '--product=GAME-US:25', '--wallet=USD', '-q']

/** In this order: `get` reads the newest order, and `create` places new ones. */
const commands: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['__complete', '--', 'get', ''],
  ['get', '@last', '--json'],
  ['get', '@last'],
  ['list', '--json'],
  create,
  [...create, '--confirm'],
]

/** In a journal with many orders, all of them in the period of a budget. */
const commandsOfMany: readonly (readonly string[])[] = [
  ['get', '@last', '--json'],
  ['list', '--json', '--limit=20'],
  [...create, '--confirm'],
]

const title = (words: readonly string[]): string => `\`${words.join(' ')}\``

const rowOf = (name: string, ours: readonly Sample[], theirs: readonly Sample[]): string[] => {
  const compareBy = (read: (sample: Sample) => number) => compare(ours.map(read), theirs.map(read))
  const cpu = compareBy(({ cpuMs }) => cpuMs)
  const numbers = [cpu.ours, cpu.theirs, cpu.ratio, compareBy(({ ms }) => ms).ratio]
  return [name, ...numbers.map((number) => number.toFixed(2))]
}

/** A build with homes of its own: one in the sandbox, and one with a serve-mock. */
const openSide = async (name: string, program: readonly string[], folder: string) => {
  const sandbox = createHome(path.join(folder, name))
  const service = await startServiceOf(program, path.join(folder, `${name}-service`))
  let homes = 0
  const runWith =
    (env: NodeJS.ProcessEnv) =>
    (words: readonly string[]): Usage => {
      const command: Command = { words: [...program, ...words], env }
      return measureUsage(command)
    }
  return {
    service,
    inSandbox: runWith(sandbox),
    /** A home without a journal. */
    openHome: (more: NodeJS.ProcessEnv = {}) => {
      const home = path.join(folder, `${name}-${++homes}`)
      return { home, run: runWith(createHome(home, { ...accountAt(service.origin), ...more })) }
    },
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  }
}

type Side = Awaited<ReturnType<typeof openSide>>

type Run = (words: readonly string[]) => Usage

const buyBatch = (run: Run, orders: number): Usage => {
  const flags = ['--wallet=USD', '--max-total=100000000', '--parallel=16', '--json']
  return run(['batch', 'run', `--product=GAME-US:25x${orders * 5}`, ...flags])
}

export const measureReference = async (size: Size): Promise<Table> => {
  const { rounds, manyRounds, longRounds, requests, orders, many } = sizes[size]
  using scratch = openScratch()
  const { folder } = scratch
  await using ours = await openSide('ours', orderctl, folder)
  const reference = [process.execPath, path.join(buildReference(), 'bin/orderctl.cjs')]
  await using theirs = await openSide('theirs', reference, folder)
  const sides = [ours, theirs]
  const rows: string[][] = []
  /** Adds a row. Returns the samples. */
  const measurePairs = async <Measured extends Sample>(
    name: string,
    count: number,
    measure: (side: Side) => Measured | Promise<Measured>,
  ): Promise<Record<'ours' | 'theirs', Measured[]>> => {
    const found = await takeTurns(count, { ours: () => measure(ours), theirs: () => measure(theirs) })
    rows.push(rowOf(name, found.ours, found.theirs))
    return found
  }

  // Start-up.
  for (const { inSandbox } of sides) inSandbox([...create, '--confirm', '--watch'])
  for (const words of commands) await measurePairs(title(words), rounds, (side) => side.inSandbox(words))

  // serve-mock.
  const loads = new Map(sides.map((side) => [side, prepareLoads(side.service, requests)]))
  for (const kind of kinds)
    await measurePairs(`serve-mock, ${kind}`, longRounds, async (side) => {
      const load = await loads.get(side)?.(kind)
      return { ms: 1000 / (load?.perSecond ?? 0), cpuMs: (load?.cpuMicroseconds ?? 0) / 1000 }
    })

  // Journals with many orders. The service does not know the copies, so the newest order is a new one.
  const measureMany = async (where: string, fill: (side: Side) => Promise<Run>): Promise<void> => {
    const runs = new Map<Side, Run>()
    for (const side of sides) {
      const run = await fill(side)
      run(create)
      runs.set(side, run)
    }
    for (const words of commandsOfMany) {
      const name = `${title(words)}, ${whole(many)} orders${where}`
      await measurePairs(name, manyRounds, (side) => runs.get(side)?.(words) as Usage)
    }
  }
  await measureMany('', async ({ openHome }) => {
    const { home, run } = openHome({ ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined })
    run([...create, '--confirm', '--watch'])
    run(['profile', 'limits', 'sandbox', '--budget=1000000000USD/month'])
    multiplyInFile(path.join(home, 'journal.db'), many)
    return run
  })
  await using databases = await startDatabases()
  const openShared = ({ openHome }: Side, database: TestDatabase): Run => {
    const { run } = openHome(journalIn(database))
    run(['journal', 'migrate'])
    return run
  }
  await using stack = new AsyncDisposableStack()
  // Without a budget.
  await measureMany(', PostgreSQL', async (side) => {
    const database = stack.use(await databases.create())
    const run = openShared(side, database)
    run([...create, '--confirm', '--watch'])
    await multiplyInDatabase(database, many)
    return run
  })

  // Batches.
  await measurePairs('`batch run`, journal in a file', longRounds, (side) =>
    buyBatch(side.openHome().run, orders),
  )
  const found = await measurePairs('`batch run`, PostgreSQL', longRounds, async (side) => {
    await using database = await databases.create()
    const run = openShared(side, database)
    const count = await databases.startCounting(database)
    return { ...buyBatch(run, orders), database: await count(orders) }
  })
  const counts = (['transactions', 'commits'] as const).map((name) => {
    const read = ({ database }: (typeof found.ours)[number]) => database[name]
    const { ours: own, theirs: other } = compare(found.ours.map(read), found.theirs.map(read))
    return `${own.toFixed(1)} ${name} (${other.toFixed(1)})`
  })
  return {
    title: `Beside ${referenceCommit}`,
    columns: ['', 'CPU ms', 'reference', 'ratio', 'ratio of ms'],
    rows,
    note: `Medians of ${rounds} pairs of runs in the sandbox, of ${manyRounds} with many orders, of ${longRounds} pairs of ${whole(requests)} requests, and of ${longRounds} pairs of batches of ${orders} orders. A ratio is the median of the ratios of the pairs. In PostgreSQL, an order of the batch needs ${counts.join(' and ')}.`,
  }
}
