// One journal and one service with a relay between them. orderctl runs as an executable, or in this process with an
// advanced clock. Each request is recorded with the state of the journal at that moment.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Operation } from '../../src/contract/refusals.ts'
import { pendingState } from '../../src/contract/states.ts'
import { findOperation } from '../../src/contract/transport.ts'
import type { RunOptions } from '../support/orderctl.ts'
import { readDatabase } from '../support/scratch.ts'
import { openWorld as openShop } from '../support/world.ts'
import type { Harm } from './preload.ts'
import { type Cut, openRelay } from './relay.ts'

const preload = new URL('preload.ts', import.meta.url).href

/** Where the run is killed or fails: at a named step, or at a byte. */
export type Injection = Cut | { readonly at: string; readonly how: Harm }

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

export type World = Awaited<ReturnType<typeof openWorld>>

export type WorldOptions = {
  /** The folder of the journal. By default the first command creates it. */
  readonly stateFolder?: string
}

export const openWorld = async ({ stateFolder }: WorldOptions = {}) => {
  const stack = new AsyncDisposableStack()
  let aheadMs = 0
  const openedAt = Date.now()
  const passed = (): number => Date.now() - openedAt + aheadMs
  const shop = await openShop({ service: 'socket', processingMs: 60_000, passed }, (end) => stack.defer(end))
  const { home, clock } = shop
  const { mock } = shop.calls
  const state = stateFolder ?? path.join(home, 'state')
  const journalFile = path.join(state, 'journal.db')
  const asked: Asked[] = []
  /** Broken rules that were noticed during a run. */
  const problems: string[] = []
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
  shop.through(async (request, service) => {
    const operation = findOperation(request.method, request.path)
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
    return await service(request)
  })
  const { port } = new URL(shop.environment.ORDERCTL_BASE_URL ?? '')
  const relay = await openRelay({ port: Number(port), onBegin })
  stack.defer(relay.close)
  const environment = { ORDERCTL_STATE_DIR: state, ORDERCTL_BASE_URL: relay.origin }

  /** Runs the built executable. Resolves when the service has finished its requests. */
  const run = async (
    words: readonly string[],
    { injection, env, ...more }: RunOptions & { injection?: Injection } = {},
  ): Promise<RunResult> => {
    const named =
      injection !== undefined && 'at' in injection ? { CRASH_AT: injection.at, CRASH_HOW: injection.how } : {}
    const child = shop.starts(words, {
      ...more,
      env: {
        ...environment,
        NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compile'),
        NODE_OPTIONS: `--import ${preload}`,
        CRASH_AHEAD_MS: String(Math.round(clock.now() - Date.now())),
        ...named,
        ...env,
      },
    })
    if (injection !== undefined && 'byte' in injection) relay.cutAt(injection, () => child.kill('SIGKILL'))
    const { exitCode, signal, stdout, stderr } = await child
    await relay.quiet()
    return { end: exitCode ?? signal ?? 'nothing', stdout, stderr }
  }

  return {
    home,
    state,
    journalFile,
    asked,
    problems,
    passed: relay.passed,
    run,

    /** The names of the steps of a successful run, in order. */
    pointsOf: async (words: readonly string[]): Promise<string[]> => {
      const list = path.join(home, 'points')
      const { end, stderr } = await run(words, { env: { CRASH_POINTS: list } })
      if (end !== 0) throw new Error(`${words.join(' ')}: ${end}\n${stderr}`)
      return readFileSync(list, 'utf8').split('\n')
    },

    /** Runs in this process: faster, and on a clock that jumps over waits. */
    runHere: async (...words: readonly string[]): Promise<RunResult> => {
      const { exit, stdout, stderr } = await shop.runIn(words, { env: environment })
      await relay.quiet()
      return { end: exit ?? 'nothing', stdout, stderr }
    },

    /** The jumps of the clock are added to this time. */
    putAhead: (ms: number): void => {
      aheadMs = ms
    },

    orders,

    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
