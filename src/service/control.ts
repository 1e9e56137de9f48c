// The service's other side, under /_mock/: what it holds, and how to set it up for a test. Never a code.
import type { Clock } from '../contract/clock.ts'
import { fromMinor } from '../contract/decimal.ts'
import { durationForm, parseDuration } from '../contract/duration.ts'
import { writeJson } from '../contract/json.ts'
import type { HttpResponse } from '../contract/transport.ts'
import { type Catalogue, catalogueDocument } from './catalogue.ts'
import { parseFault } from './faults/fault-form.ts'
import type { FaultList } from './faults/inject.ts'
import { type Call, jsonResponse, messageResponse, type Route } from './http.ts'
import { canEndAs, type ForcedOutcome, forcibleOutcomes } from './lifecycle.ts'
import type { RequestLog } from './socket/request-log.ts'
import type { Store } from './store.ts'
import { type OrderRow, storedLines } from './stored-orders.ts'

type Parts = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly clock: Clock
  readonly settleDue: () => number
  readonly upToDate: (row: OrderRow) => OrderRow
  readonly faults: FaultList
  readonly log: RequestLog
  /** Something may have become due. */
  readonly poke: () => void
}

const prefix = '/_mock'
const most = 1_000
// Past it, dates are written otherwise, and in the end not at all.
const endOfTime = Date.UTC(10_000, 0)

export const controlRoutes = (parts: Parts): Route[] => {
  const { catalogue, store, clock, settleDue, upToDate, faults, log, poke } = parts
  const settleAll = (): void => {
    while (settleDue() > 0);
  }
  const routes: (Route & { summary: string })[] = []
  const add = (method: string, path: string, summary: string, answer: (call: Call) => HttpResponse): void => {
    routes.push({
      method,
      path: `${prefix}${path}`,
      summary,
      answer: (call, facts) => {
        const response = answer(call)
        if (response.status !== 200) facts.message = JSON.parse(String(response.body)).message
        return response
      },
      bodyOptional: true,
    })
  }

  add('GET', '/', 'what is here', () =>
    ok(routes.map(({ method, path, summary }) => ({ method, path, summary }))),
  )
  add('GET', '/state', 'wallets, stock and orders, newest first (?limit=, ?before=NUMBER)', (call) =>
    listing(call, (limit) => {
      settleAll()
      const before = Number(call.query.get('before') ?? Number.MAX_SAFE_INTEGER)
      if (!Number.isSafeInteger(before)) return bad('before is the number of an order')
      return ok({
        now: new Date(clock.now()).toISOString(),
        clockOffsetMs: store.clockOffset(),
        seed: store.seed,
        wallets: store.wallets().map(({ currency, opening, balance }) => ({
          currency,
          opening: fromMinor(currency, opening),
          balance: fromMinor(currency, balance),
        })),
        stock: store.stock(),
        orders: store.transaction(() => store.orders.newest(limit, before).map(upToDate)).map(summaryOf),
      })
    }),
  )
  add('GET', '/catalogue', 'the products, wallets and rates in force, as a catalogue file has them', () =>
    ok(catalogueDocument(catalogue)),
  )
  add('POST', '/reset', 'back to the first day: wallets, stock, clock, orders, faults, logs', () => {
    store.reset()
    faults.remove()
    log.clear()
    return ok({ message: 'Reset.' })
  })
  add('POST', '/clock', '{"advance": "11m"} puts the clock forward', ({ document }) => {
    const ms = parseDuration(String(field(document, 'advance')))
    if (ms === undefined) return bad(`advance takes ${durationForm}`)
    if (clock.now() + ms > endOfTime) return bad('advance ends before the year 10000')
    store.advanceClock(ms)
    settleAll()
    poke()
    return ok({ now: new Date(clock.now()).toISOString(), clockOffsetMs: store.clockOffset() })
  })
  add(
    'POST',
    '/outcome',
    `{"orderId", "outcome"} decides how an order ends: ${forcibleOutcomes.join(', ')}`,
    ({ document }) => {
      const outcome = forcibleOutcomes.find((name) => name === field(document, 'outcome'))
      if (outcome === undefined) return bad(`outcome is one of ${forcibleOutcomes.join(', ')}`)
      const orderId = String(field(document, 'orderId'))
      return force({ store, now: clock.now(), orderId, outcome }, () => {
        settleAll()
        poke()
      })
    },
  )
  add('GET', '/requests', 'the requests seen, newest first (?limit=)', (call) =>
    listing(call, (limit) =>
      ok(log.newest(limit).map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }))),
    ),
  )
  add('GET', '/deliveries', 'webhook deliveries and their attempts, newest first (?limit=)', (call) =>
    listing(call, (limit) => ok(store.deliveries.list({ limit }))),
  )
  add('POST', '/redeliver', '{"deliveryId"} sends a webhook again', ({ document }) => {
    const id = String(field(document, 'deliveryId'))
    if (!store.deliveries.redeliver(id, clock.now())) return messageResponse(404, 'No delivery has this id')
    poke()
    return ok({ id, state: 'pending' })
  })
  add('GET', '/faults', 'the faults to come', () => ok(faults.list()))
  add('POST', '/faults', '{"fault": "confirm:reset-after"} adds one', ({ document }) => {
    const fault = parseFault(String(field(document, 'fault')))
    return typeof fault === 'string' ? bad(fault) : ok({ id: faults.add(fault) })
  })
  add('DELETE', '/faults', 'removes all of them, or one (?id=)', ({ query }) => {
    const id = query.get('id')
    if (id === null) faults.remove()
    else if (!faults.remove(Number(id))) return messageResponse(404, 'No fault has this id')
    return ok(faults.list())
  })
  return [
    ...routes,
    {
      method: 'GET',
      path: '/openapi.json',
      open: true,
      answer: async () => ok((await import('../contract/openapi/openapi.ts')).openApiDocument()),
    },
  ]
}

const ok = (value: unknown): HttpResponse => jsonResponse(200, writeJson(value, 2))
const bad = (message: string): HttpResponse => messageResponse(400, message)

const field = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null && Object.hasOwn(document, name)
    ? (document as Record<string, unknown>)[name]
    : undefined

const listing = ({ query }: Call, answer: (limit: number) => HttpResponse): HttpResponse => {
  const limit = Number(query.get('limit') ?? 100)
  return Number.isInteger(limit) && limit > 0 && limit <= most
    ? answer(limit)
    : bad(`limit is a whole number from 1 to ${most}`)
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const summaryOf = (row: OrderRow) => ({
  number: row.number,
  id: row.id,
  reference: row.reference,
  state: row.state,
  wallet: row.wallet,
  total: fromMinor(row.wallet, row.total),
  products: storedLines(row).map(({ sku, quantity, quote }) => ({ sku, quantity, quote })),
  createdAt: isoOrNull(row.created_at),
  expiresAt: isoOrNull(row.expires_at),
  confirmedAt: isoOrNull(row.confirmed_at),
  finalAt: isoOrNull(row.final_at),
  forcedOutcome: row.forced,
})

type Forcing = {
  readonly store: Store
  readonly now: number
  readonly orderId: string
  readonly outcome: ForcedOutcome
}

/** A confirmed order ends now; one that is not confirmed yet, when its time comes. */
const force = ({ store, now, orderId, outcome }: Forcing, settle: () => void): HttpResponse =>
  store.transaction(() => {
    const row = store.orders.byId(orderId)
    if (row === undefined) return messageResponse(404, 'No order has this id')
    if (row.settled === 1) return messageResponse(409, `The order has ended already: ${row.state}`)
    if (!canEndAs(outcome, storedLines(row)))
      return messageResponse(409, 'An order of one SKU cannot end partial')
    store.orders.force(row.number, outcome, row.confirmed_at === null ? null : now)
    settle()
    return ok(summaryOf(store.orders.byId(orderId) ?? row))
  })
