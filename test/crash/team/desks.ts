// Machines with clocks of their own, in this process: one journal on PostgreSQL, and one service behind a socket.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '../../../src/contract/clock.ts'
import { run as runWords } from '../../../src/run.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { openEmbedded } from '../../../src/service/embedded.ts'
import { listen } from '../../../src/service/socket/listen.ts'
import { apiKey, callsOver } from '../../support/embedded.ts'
import { realClock } from '../../support/in-process.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { contextOf, createTextWriter } from '../context.ts'

/** In milliseconds, as the journal stores times. */
export const databaseNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** `ana` has the right clock, `ben` another one. */
export const openDesks = async (aheadMs: number) => {
  const stack = new AsyncDisposableStack()
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-clock-'))
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const database = stack.use(await createDatabase())
  const embedded = openEmbedded({
    ...{ clock: realClock, catalogue: builtInCatalogue(), stateFile: ':memory:', apiKey },
    ...{ seed: 'clock', processingMs: 0 },
  })
  stack.defer(embedded.close)
  const sent: string[] = []
  const listener = await listen(
    (request) => {
      if (request.method !== 'GET') sent.push(request.path)
      return embedded.transport(request)
    },
    { host: '127.0.0.1', port: 0, clock: realClock },
  )
  stack.defer(listener.close)
  const { mock } = callsOver(embedded.transport)

  const addDesk = (name: string, clock: Clock) => {
    const folder = path.join(home, name)
    mkdirSync(folder)
    const environment = {
      TZ: 'UTC',
      ORDERCTL_STATE_DIR: path.join(folder, 'state'),
      ORDERCTL_BASE_URL: `http://127.0.0.1:${listener.address.port}`,
      ORDERCTL_API_KEY: apiKey,
      ORDERCTL_JOURNAL: database.address(),
      PGPASSWORD: database.password,
    }
    return async (words: readonly string[], more: Partial<Clock> = {}) => {
      const [stdout, stderr] = [createTextWriter(), createTextWriter()]
      const context = {
        ...contextOf({ clock: { ...clock, ...more }, environment, home: folder, stdout, stderr }),
        ...{ host: () => `${name}-desk`, user: () => name, processes: { own: 1, isRunning: () => true } },
        readFile: (file: string) => readFile(file),
      }
      const end = await runWords(context, words)
      return { end, stderr: stderr.text() }
    }
  }
  const wrong = { ...realClock, now: () => Date.now() + aheadMs }
  return {
    ...{ home, database, sent },
    ana: addDesk('ana', realClock),
    ben: addDesk('ben', wrong),
    /** Another machine with the clock of `ben`. */
    cleo: addDesk('cleo', wrong),
    advanceService: (time: string) => mock('POST', '/clock', { advance: time }),
    /** Of how many orders the service was paid. */
    countBought: async (): Promise<number> =>
      (await mock('GET', '/state')).data.orders.filter(({ confirmedAt = null }) => confirmedAt !== null)
        .length,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
