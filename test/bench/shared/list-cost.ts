// What a million orders in a shared journal cost the commands that read it, beside a thousand. By turns.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { getAccountId } from '../../../src/contract/account-id.ts'
import type { TestDatabase } from '../../support/postgres/database.ts'
import { key } from '../orders.ts'
import { executable, folder } from '../servers.ts'
import { median, renderTable, whole } from '../table.ts'
import { environmentOf } from './database.ts'
import { fillDatabase } from './filled-database.ts'

const rounds = 15
const fewOrders = 1_000

const commands: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--unfinished'],
  ['list', '--state', 'failed'],
  ['list', '--since', '2h'],
  ['list', '--reference', 'the-last'],
  ['get', 'ref:the-last'],
]

type Run = (words: readonly string[]) => number

/** Returns a function that runs a command and returns its milliseconds. */
const prepare = async (database: TestDatabase, count: number, port: number): Promise<Run> => {
  const origin = `http://127.0.0.1:${port}`
  const { address } = getAccountId(origin)
  await fillDatabase(database, { count, address, origin })
  const env = {
    ...process.env,
    ...environmentOf(database),
    ORDERCTL_BASE_URL: origin,
    ORDERCTL_API_KEY: key,
    ORDERCTL_STATE_DIR: path.join(folder, database.name),
    XDG_CACHE_HOME: folder,
  }
  const run: Run = (words) => {
    const start = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [executable, ...words], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
    return performance.now() - start
  }
  run(['create', '--product=GAME-US:25', '--wallet=USD', '--reference=the-last'])
  return run
}

type Databases = { readonly few: TestDatabase; readonly many: TestDatabase }

/** `port`: that of the service. */
export const measureList = async ({ few, many }: Databases, count: number, port: number): Promise<string> => {
  const sides = [await prepare(few, fewOrders, port), await prepare(many, count, port)] as const
  const rows = commands.map((words) => {
    const [fewMs, manyMs] = [[], []] as [number[], number[]]
    // The first runs fill the caches.
    for (const run of sides) run(words)
    for (let round = 0; round < rounds; round += 1) {
      fewMs.push(sides[0](words))
      manyMs.push(sides[1](words))
    }
    const ratio = median(manyMs) / median(fewMs)
    return [words.join(' '), median(fewMs).toFixed(1), median(manyMs).toFixed(1), ratio.toFixed(2)]
  })
  const heads = [`ms, ${whole(fewOrders)} orders`, `ms, ${whole(count)}`, 'ratio']
  return `${renderTable([[`medians of ${rounds} by turns`, ...heads], ...rows])}\n\ngoal <= 1.30`
}
