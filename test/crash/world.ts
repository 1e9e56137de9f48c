// One journal and one service with a relay between them. orderctl runs as an executable, or in this process with an
// advanced clock. Each request is recorded with the state of the journal at that moment.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/contract/clock.ts'
import { findOperation } from '../../src/contract/endpoints.ts'
import type { Operation } from '../../src/contract/refusals.ts'
import { pendingState } from '../../src/contract/states.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { lookEveryMs } from '../../src/operations/watch/order-changes.ts'
import { run as runWords } from '../../src/run.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { listen } from '../../src/service/socket/listen.ts'
import { apiKey, callsOver } from '../support/embedded.ts'
import { type RunOptions, start } from '../support/orderctl.ts'
import { readDatabase } from '../support/scratch.ts'
import { contextOf, createTextWriter } from './context.ts'
import type { Harm } from './preload.ts'
import { type Cut, openRelay } from './relay.ts'

const preload = new URL('preload.ts', import.meta.url).href
const cache = path.resolve('node_modules/.cache')

/** Where the run is killed or fails: at a named step, or at a byte. */
export type Injection = Cut | { readonly at: string; readonly how: Harm; readonly onReached?: () => unknown }

export type RunResult = {
  /** The exit code, or the signal. */
  readonly end: number | string
  readonly stdout: string
  readonly stderr: string
}

/** A create or confirm as the service received it. */
type Asked = {
  readonly operation: Operation
  /** The reference of a create, the order of a confirm. */
  readonly key: string
}

/** An order as the service knows it. */
export type ServiceOrder = {
  readonly id: string
  readonly reference: string
  readonly state: string
  readonly expiresAt: number
}

/** The service answered a `get`. */
type Observation = { readonly orderId: string; readonly at: number }

export type World = Awaited<ReturnType<typeof openWorld>>

export type WorldOptions = {
  /** The folder of the journal. By default the first command creates it. */
  readonly stateFolder?: string
  /** How long the service takes to deliver an order (default: a minute). */
  readonly processingMs?: number
}

export const openWorld = async ({ stateFolder, processingMs = 60_000 }: WorldOptions = {}) => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-crash-'))
  const state = stateFolder ?? path.join(home, 'state')
  const journalFile = path.join(state, 'journal.db')
  let aheadMs = 0
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    monotonic: () => performance.now() + aheadMs,
    sleep: async (ms, signal) => {
      await delay(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
    },
    newId: () => crypto.randomUUID(),
  }
  /** While a run waits for another one, it does not sleep: the clock is advanced. */
  const waitingClock: Clock = {
    ...clock,
    sleep: async (ms, signal) => {
      if (ms !== lookEveryMs) return clock.sleep(ms, signal)
      aheadMs += ms
    },
  }
  const embedded = openEmbedded({
    clock,
    catalogue: builtInCatalogue(),
    stateFile: ':memory:',
    apiKey,
    seed: 'crash',
    processingMs,
  })
  const asked: Asked[] = []
  const observations: Observation[] = []
  /** Broken rules that were noticed during a run. */
  const problems: string[] = []
  const { mock } = callsOver(embedded.transport)
  const orders = async (): Promise<ServiceOrder[]> => {
    const { data } = await mock('GET', '/state?limit=1000')
    type Listed = Omit<ServiceOrder, 'expiresAt'> & { readonly expiresAt: string }
    return data.orders.map((order: Listed) => ({ ...order, expiresAt: Date.parse(order.expiresAt) }))
  }
  const counted = (sql: string, ...values: string[]): number => {
    try {
      return readDatabase(journalFile, (database) => Number(database.prepare(sql).get(...values)?.count))
    } catch {
      // Without the file or the table there are no entries.
      return 0
    }
  }

  const onBegin = (operation: Operation): void => {
    if (operation === 'get') return
    const begun = relay.passed.filter((each) => each.operation === operation).length
    const entries = counted('SELECT count(*) AS count FROM calls WHERE operation = ?', operation)
    if (entries < begun) problems.push(`${operation} ${begun} was begun, the journal had ${entries}`)
  }
  /** Orders of the same reference that a confirm may have paid for, so that no other may be confirmed. */
  const rivalsOf = async (orderId: string): Promise<ServiceOrder[]> => {
    const confirmed = readDatabase(journalFile, (database) =>
      database
        .prepare(
          "SELECT order_id FROM orders JOIN calls ON order_number = orders.number AND operation = 'confirm'",
        )
        .all(),
    ).map((row) => row.order_id)
    const all = await orders()
    const { reference } = all.find(({ id }) => id === orderId) ?? {}
    return all.filter(
      (other) =>
        other.id !== orderId &&
        other.reference === reference &&
        confirmed.includes(other.id) &&
        (other.state !== pendingState || clock.now() <= other.expiresAt + 2 * 60_000),
    )
  }
  const isNoted = ({ orderId, at }: Observation): boolean =>
    counted(
      `SELECT count(*) AS count FROM orders
       WHERE order_id = ? AND (standing = 'expired' OR abs(unconfirmed_at - ?) < 2000)`,
      orderId,
      String(at),
    ) > 0
  const watched: Transport = async (request) => {
    const operation = findOperation(request.method, request.path)
    if (operation === 'get') {
      const orderId = new URL(request.path, 'http://service').searchParams.get('orderId') ?? ''
      observations.push({ orderId, at: clock.now() })
    }
    if (operation === 'create' || operation === 'confirm') {
      const { reference, orderId } = JSON.parse(Buffer.from(request.body ?? '').toString())
      const key = operation === 'create' ? reference : orderId
      asked.push({ operation, key })
      const sending = counted(
        `SELECT count(*) AS count FROM calls JOIN orders ON orders.number = order_number
         WHERE operation = ? AND ? IN (reference, order_id) AND outcome = 'sending'`,
        operation,
        key,
      )
      if (sending === 0) problems.push(`${operation} of ${key} was sent without 'sending' in the journal`)
      for (const { id, state } of operation === 'confirm' ? await rivalsOf(key) : []) {
        problems.push(`${key} was confirmed, and ${id} (${state}) of its reference may have been paid for`)
      }
    }
    return await embedded.transport(request)
  }
  const listener = await listen(watched, { host: '127.0.0.1', port: 0, clock })
  const relay = await openRelay({ port: listener.address.port, onBegin })
  const environment = {
    TZ: 'UTC',
    ORDERCTL_STATE_DIR: state,
    ORDERCTL_BASE_URL: relay.origin,
    ORDERCTL_API_KEY: apiKey,
  }

  /** A stopped process keeps its connection open, so the relay never becomes quiet. */
  let isStopped = false

  /** Runs the built executable. Resolves when the service has finished its requests. */
  const run = async (
    words: readonly string[],
    { injection, env, ...more }: RunOptions & { injection?: Injection } = {},
  ): Promise<RunResult> => {
    const seen = observations.length
    const named =
      injection !== undefined && 'at' in injection ? { CRASH_AT: injection.at, CRASH_HOW: injection.how } : {}
    const child = start(words, {
      cwd: home,
      endsWithinMs: 60_000,
      ...more,
      env: {
        ...environment,
        XDG_CACHE_HOME: cache,
        NODE_COMPILE_CACHE: path.join(cache, 'compile'),
        NODE_OPTIONS: `--import ${preload}`,
        CRASH_AHEAD_MS: String(aheadMs),
        ...named,
        ...env,
      },
    })
    if (injection !== undefined && 'onReached' in injection) {
      child.stderr?.on('data', async (text) => {
        if (!String(text).includes(`reached ${injection.at}`)) return
        isStopped = injection.how === 'SIGSTOP'
        await injection.onReached?.()
        if (isStopped) child.kill('SIGCONT')
        isStopped = false
      })
    }
    if (injection !== undefined && 'byte' in injection) relay.cutAt(injection, () => child.kill('SIGKILL'))
    const { exitCode, signal, stdout, stderr } = await child
    await relay.quiet()
    // A killed process may not have recorded its last answers.
    if (signal === 'SIGKILL') observations.push(...observations.splice(seen).filter(isNoted))
    return { end: exitCode ?? signal ?? 'nothing', stdout, stderr }
  }

  return {
    home,
    state,
    journalFile,
    asked,
    observations,
    problems,
    now: clock.now,
    passed: relay.passed,
    run,

    /** The names of the steps of a successful run, in order. */
    pointsOf: async (words: readonly string[]): Promise<string[]> => {
      const list = path.join(home, 'points')
      const { end, stderr } = await run(words, { env: { CRASH_POINTS: list } })
      if (end !== 0) throw new Error(`${words.join(' ')}: ${end}\n${stderr}`)
      return readFileSync(list, 'utf8').split('\n')
    },

    /** Runs in this process: faster, and with an advanced clock. */
    runHere: async (...words: readonly string[]): Promise<RunResult> => {
      const [stdout, stderr] = [createTextWriter(), createTextWriter()]
      const context = contextOf({
        ...{ environment, home, stdout, stderr },
        clock: words.includes('--idempotent') ? waitingClock : clock,
      })
      const end = await runWords(context, words)
      if (!isStopped) await relay.quiet()
      return { end, stdout: stdout.text(), stderr: stderr.text() }
    },

    /** Does nothing if a run that waited has advanced the clock further. */
    putAhead: (ms: number): void => {
      aheadMs = Math.max(aheadMs, ms)
    },

    orders,
    addFault: (fault: string) => mock('POST', '/faults', { fault }),
    removeFaults: () => mock('DELETE', '/faults'),

    async [Symbol.asyncDispose]() {
      await relay.close()
      await listener.close()
      embedded.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
