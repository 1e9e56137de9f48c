// The routes under /_mock/, which show and change the service's state for tests. They never show a code.
import type { Clock } from '../contract/clock.ts'
import { fromMinor } from '../contract/decimal.ts'
import { durationForm, parseDuration } from '../contract/duration.ts'
import { writeJson } from '../contract/json.ts'
import type { HttpResponse } from '../contract/transport.ts'
import { type Catalogue, type Rate, toCatalogueDocument } from './catalogue.ts'
import { type FaultList, parseFault } from './faults/inject.ts'
import { type Call, createJsonResponse, createMessageResponse, type Route } from './http.ts'
import { canEndAs, type ForcedOutcome, forcibleOutcomes } from './lifecycle.ts'
import type { RequestLog } from './request-log.ts'
import type { Store } from './store.ts'
import { type OrderRow, readLines } from './stored-orders.ts'

type Parts = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly clock: Clock
  readonly settleDue: () => number
  readonly refresh: (row: OrderRow) => OrderRow
  readonly listRates: () => readonly Rate[]
  readonly faults: FaultList
  readonly log: RequestLog
  /** Makes the background check for due work now. */
  readonly wake: () => void
}

type ControlRoute = Route & { readonly summary: string }

const prefix = '/_mock'
const maxLimit = 1_000
// ISO timestamps have another format from the year 10000 on.
const maxTime = Date.UTC(10_000, 0)

export const createControlRoutes = (parts: Parts): Route[] => {
  const routes: ControlRoute[] = [
    createRoute('GET', '/', 'list these routes', () => ok(index)),
    ...createStateRoutes(parts),
    ...createLogRoutes(parts),
    ...createFaultRoutes(parts),
  ]
  const index = routes.map(({ method, path, summary }) => ({ method, path, summary }))
  return [
    ...routes,
    {
      method: 'GET',
      path: '/openapi.json',
      open: true,
      handle: async () =>
        ok((await import('../contract/openapi/openapi.ts')).createOpenApiDocument(parts.clock.now())),
    },
  ]
}

const createRoute = (
  method: string,
  path: string,
  summary: string,
  handle: (call: Call) => HttpResponse,
): ControlRoute => ({
  method,
  path: `${prefix}${path}`,
  summary,
  bodyOptional: true,
  handle: (call, facts) => {
    const response = handle(call)
    if (response.status !== 200) facts.message = JSON.parse(String(response.body)).message
    return response
  },
})

const settleAll = ({ settleDue }: Parts): void => {
  while (settleDue() > 0);
}

const createStateRoutes = (parts: Parts): ControlRoute[] => {
  const { catalogue, store, clock, faults, log, wake } = parts
  return [
    createRoute(
      'GET',
      '/state',
      'show wallets, stock and orders, newest first (?limit=, ?before=NUMBER)',
      (call) => respondWithList(call, (limit) => showState(parts, call, limit)),
    ),
    createRoute('GET', '/catalogue', 'show the catalogue in the format of a catalogue file', () =>
      ok(toCatalogueDocument(catalogue)),
    ),
    createRoute('GET', '/rates', 'show the exchange rates of a new order', () => ok(parts.listRates())),
    createRoute('POST', '/reset', 'reset all state except the seed', () => {
      store.reset()
      faults.remove()
      log.clear()
      return ok({ message: 'Reset.' })
    }),
    createRoute('POST', '/clock', 'advance the clock: {"advance": "11m"}', ({ document }) => {
      const ms = parseDuration(String(readField(document, 'advance')))
      if (ms === undefined) return refuse(`advance must be ${durationForm}`)
      if (clock.now() + ms > maxTime)
        return refuse('the clock cannot go past the year 9999; advance it by less')
      store.advanceClock(ms)
      settleAll(parts)
      wake()
      return ok(describeClock(parts))
    }),
    createRoute(
      'POST',
      '/outcome',
      `set the outcome of an order (${forcibleOutcomes.join(', ')}): {"orderId", "outcome"}`,
      ({ document }) => {
        const outcome = forcibleOutcomes.find((name) => name === readField(document, 'outcome'))
        if (outcome === undefined) return refuse(`outcome must be one of ${forcibleOutcomes.join(', ')}`)
        return forceOutcome(parts, String(readField(document, 'orderId')), outcome)
      },
    ),
  ]
}

const showState = (parts: Parts, { query }: Call, limit: number): HttpResponse => {
  const { store, refresh } = parts
  settleAll(parts)
  const before = Number(query.get('before') ?? Number.MAX_SAFE_INTEGER)
  if (!Number.isSafeInteger(before)) return refuse('before must be an order number, such as ?before=12')
  return ok({
    ...describeClock(parts),
    seed: store.seed,
    wallets: describeWallets(store),
    stock: store.listStock(),
    orders: store.transaction(() => store.orders.listNewest(limit, before).map(refresh)).map(summarizeOrder),
  })
}

/** A confirmed order ends now. An order that is not confirmed yet ends at its usual time. */
const forceOutcome = (parts: Parts, orderId: string, outcome: ForcedOutcome): HttpResponse => {
  const { store, clock, wake } = parts
  return store.transaction(() => {
    const row = store.orders.find(orderId)
    if (row === undefined) return refuse('No order has this id. List the orders: GET /_mock/state', 404)
    if (row.settled === 1)
      return refuse(`The order is already ${row.state}. Set the outcome before the order ends.`, 409)
    if (!canEndAs(outcome, readLines(row)))
      return refuse('An order with one SKU cannot be partial. Order two SKUs or more.', 409)
    store.orders.force(row.number, outcome, row.confirmed_at === null ? null : clock.now())
    settleAll(parts)
    wake()
    return ok(summarizeOrder(store.orders.find(orderId) ?? row))
  })
}

const createLogRoutes = ({ store, clock, log, wake }: Parts): ControlRoute[] => [
  createRoute('GET', '/requests', 'list requests, newest first (?limit=)', (call) =>
    respondWithList(call, (limit) =>
      ok(log.listNewest(limit).map((entry) => ({ ...entry, at: toIso(entry.at) }))),
    ),
  ),
  createRoute(
    'GET',
    '/deliveries',
    'list webhook deliveries and their attempts, newest first (?limit=)',
    (call) => respondWithList(call, (limit) => ok(store.deliveries.list({ limit }))),
  ),
  createRoute('POST', '/redeliver', 'send a webhook again: {"deliveryId"}', ({ document }) => {
    const id = String(readField(document, 'deliveryId'))
    if (!store.deliveries.redeliver(id, clock.now()))
      return refuse('No delivery has this id. List the deliveries: GET /_mock/deliveries', 404)
    wake()
    return ok({ id, state: 'pending' })
  }),
]

const createFaultRoutes = ({ faults }: Parts): ControlRoute[] => [
  createRoute('GET', '/faults', 'list the active faults', () => ok(faults.list())),
  createRoute('POST', '/faults', 'add a fault: {"fault": "confirm:reset-after"}', ({ document }) => {
    const fault = parseFault(String(readField(document, 'fault')))
    return typeof fault === 'string' ? refuse(fault) : ok({ id: faults.add(fault) })
  }),
  createRoute('DELETE', '/faults', 'remove all faults, or one (?id=)', ({ query }) => {
    const id = query.get('id')
    if (id === null) faults.remove()
    else if (!faults.remove(Number(id)))
      return refuse('No fault has this id. List the faults: GET /_mock/faults', 404)
    return ok(faults.list())
  }),
]

const ok = (value: unknown): HttpResponse => createJsonResponse(200, writeJson(value, 2))
const refuse = (message: string, status = 400): HttpResponse => createMessageResponse(status, message)

const readField = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null && Object.hasOwn(document, name)
    ? (document as Record<string, unknown>)[name]
    : undefined

const respondWithList = ({ query }: Call, list: (limit: number) => HttpResponse): HttpResponse => {
  const limit = Number(query.get('limit') ?? 100)
  return Number.isInteger(limit) && limit > 0 && limit <= maxLimit
    ? list(limit)
    : refuse(`limit must be a whole number from 1 to ${maxLimit}`)
}

const toIso = (ms: number): string => new Date(ms).toISOString()
const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms))

const describeClock = ({ clock, store }: Parts) => ({
  now: toIso(clock.now()),
  clockOffsetMs: store.readClockOffset(),
})

export const describeWallets = (store: Store) =>
  store.listWallets().map(({ currency, opening, balance }) => ({
    currency,
    opening: fromMinor(currency, opening),
    balance: fromMinor(currency, balance),
  }))

export const summarizeOrder = (row: OrderRow) => ({
  number: row.number,
  id: row.id,
  reference: row.reference,
  state: row.state,
  wallet: row.wallet,
  total: fromMinor(row.wallet, row.total),
  products: readLines(row).map(({ sku, quantity, quote }) => ({ sku, quantity, quote })),
  createdAt: toIso(row.created_at),
  expiresAt: toIso(row.expires_at),
  confirmedAt: toIsoOrNull(row.confirmed_at),
  finalAt: toIsoOrNull(row.final_at),
  forcedOutcome: row.forced,
})
