// The HTTP side of the service, without sockets: routes, credentials and request bodies. Then the routes under /_mock/, which show
// and change the service's state for tests. Only the bodies of /requests show codes.

import { builtin } from '../builtin.ts'
import { tryReadJson, writeJson } from '../contract/json.ts'
import { fromMinor } from '../contract/money/decimal.ts'
import {
  describeAllowedMethods,
  describeTooLarge,
  maxRequestBytes,
  refusals,
  wrongContentType,
} from '../contract/refusals.ts'
import { hiddenMark } from '../contract/states.ts'
import { type Clock, durationForm, endOfDates, parseDuration } from '../contract/time.ts'
import {
  endpoints,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type ServedResponse,
  stripQuery,
} from '../contract/transport.ts'
import { formatViolation } from '../contract/violations.ts'
import { type Catalogue, toCatalogueDocument } from './catalogue.ts'
import {
  describeExchange,
  type Exchange,
  type ExchangeLog,
  type Handler,
  type LogDetails,
} from './exchange-log.ts'
import { type FaultList, parseFault } from './faults.ts'
import { canEndAs, type ForcedOutcome, forcibleOutcomes } from './rules.ts'
import type { Service, ServiceResponse } from './service.ts'
import { type OrderRow, readOrderLines, type Store } from './store.ts'
import type { ListedDelivery } from './webhooks.ts'

/** `document` is the parsed JSON body, if there is one. */
type ServiceCall = {
  readonly query: URLSearchParams
  readonly document: unknown
  readonly headers: Headers
}

export type Route = {
  readonly method: string
  readonly path: string
  /** Needs no API key. */
  readonly open?: true
  /** Accepts a request without a body, whatever its content type. */
  readonly bodyOptional?: true
  readonly handle: (call: ServiceCall, facts: LogDetails) => ServedResponse | Promise<ServedResponse>
}

export const createJsonResponse = (status: number, body: string, more: Headers = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...more },
  body,
})

export const createMessageResponse = (status: number, message: string, more?: Headers): HttpResponse =>
  createJsonResponse(status, JSON.stringify({ message }), more)

export const createOrderRoutes = ({ create, confirm, get }: Service): Route[] => [
  { ...endpoints.create, handle: async ({ document }, facts) => respond(await create(document), facts) },
  { ...endpoints.confirm, handle: async ({ document }, facts) => respond(await confirm(document), facts) },
  { ...endpoints.get, handle: ({ query }, facts) => respond(get(query.get('orderId')), facts) },
]

const respond = (response: ServiceResponse, facts: LogDetails): HttpResponse => {
  if (response.orderId !== undefined) facts.orderId = response.orderId
  if (response.kind === 'done') {
    facts.message = response.message
    return createJsonResponse(200, `{"message":${JSON.stringify(response.message)},"data":${response.data}}`)
  }
  const { status, message } = refusals[response.refusal]
  facts.message = message
  // Spec silent: the body of an error. See order-service.md 7.
  const violations = response.violations?.map(formatViolation)
  return createJsonResponse(status, JSON.stringify({ message, violations }))
}

const refuseRequest = (facts: LogDetails, status: number, message: string, more?: Headers): HttpResponse => {
  facts.message = message
  return createMessageResponse(status, message, more)
}

export const createHttpHandler = (routes: readonly Route[], apiKey: string | undefined): Handler => {
  const byPath = Map.groupBy(routes, (route) => route.path)

  return async (request, facts) => {
    // Compared without decoding or normalising, so that two spellings of a path never reach one route.
    const candidates = byPath.get(stripQuery(request.path))
    if (candidates === undefined) return refuseRequest(facts, 404, 'Not Found')
    const route = candidates.find(({ method }) => method === request.method)
    if (route === undefined) {
      const allow = candidates.map(({ method }) => method).join(', ')
      return refuseRequest(facts, 405, describeAllowedMethods(allow), { allow })
    }
    if (apiKey !== undefined && route.open !== true && !hasKey(request, apiKey))
      return refuseRequest(facts, refusals.credentials.status, refusals.credentials.message)
    const query = new URLSearchParams(request.path.slice(route.path.length))
    const { body = '', headers } = request
    const ignoresBody = request.method === 'GET' || request.method === 'DELETE'
    if (ignoresBody || (route.bodyOptional && body.length === 0))
      return route.handle({ query, document: undefined, headers }, facts)

    if (!/^application\/json(?:\s*;|$)/i.test(headers['content-type'] ?? ''))
      return refuseRequest(facts, 415, wrongContentType)
    if (Buffer.byteLength(body) > maxRequestBytes)
      return refuseRequest(facts, 413, describeTooLarge(maxRequestBytes))
    const { document, problem } = tryReadJson(body)
    if (problem !== undefined) return refuseRequest(facts, 400, `The request body ${problem.message}`)
    return route.handle({ query, document, headers }, facts)
  }
}

const hasKey = ({ headers }: HttpRequest, key: string): boolean => {
  const bearer = /^Bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1]
  return isEqual(bearer, key) || isEqual(headers['x-api-key'], key)
}

// Takes the same time for each key of this length, so that timing does not reveal the key.
export const isEqual = (given: string | undefined, key: string): boolean => {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(key)]
  return one.length === other.length && builtin.crypto().timingSafeEqual(one, other)
}

export type ControlParts = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly clock: Clock
  readonly service: Pick<Service, 'finishDue' | 'refresh'>
  readonly faults: FaultList
  readonly exchanges: Pick<ExchangeLog, 'listAfter' | 'clear'>
  /** Makes the background check for due work now. */
  readonly wake: () => void
}

const prefix = '/_mock'
const maxLimit = 1_000

const ok = (value: unknown): HttpResponse => createJsonResponse(200, writeJson(value, 2))
const refuse = (message: string, status = 400): HttpResponse => createMessageResponse(status, message)

type ControlRoute = Route & { readonly summary: string }

export const createControlRoutes = (parts: ControlParts): Route[] => {
  const routes: ControlRoute[] = [
    createRoute('GET', '/', 'list these routes', () => ok(index)),
    ...createStateRoutes(parts),
    ...createLogRoutes(parts),
    ...createFaultRoutes(parts),
  ]
  const index = routes.map(({ method, path, summary }) => ({ method, path, summary }))
  const describe: Route['handle'] = async ({ headers }) => {
    const { createOpenApiDocument } = await import('../contract/openapi/openapi.ts')
    return ok(createOpenApiDocument(parts.clock.now(), findServer(headers)))
  }
  return [...routes, { method: 'GET', path: '/openapi.json', open: true, handle: describe }]
}

/** The address that the request was sent to. */
const findServer = ({ host = '127.0.0.1:4010', 'x-forwarded-proto': proxied }: Headers): string =>
  `${proxied === 'https' ? 'https' : 'http'}://${host}`

const createRoute = (
  method: string,
  path: string,
  summary: string,
  handle: (call: ServiceCall) => HttpResponse,
): ControlRoute => ({
  method,
  path: prefix + path,
  summary,
  bodyOptional: true,
  handle: (call, facts) => {
    const response = handle(call)
    if (response.status !== 200) facts.message = JSON.parse(String(response.body)).message
    return response
  },
})

/** Creates a GET route with `?limit=` and these parameters. */
const createListRoute = (
  path: string,
  summary: string,
  names: readonly string[],
  list: (limit: number, query: URLSearchParams) => HttpResponse,
): ControlRoute =>
  createRoute('GET', path, summary, ({ query }) => {
    const known = [...names, 'limit']
    // A misspelled filter would list all.
    if ([...query.keys()].some((name) => !known.includes(name)))
      return refuse(`the allowed parameters are ${known.join(', ')}`)
    const limit = Number(query.get('limit') ?? 100)
    return Number.isInteger(limit) && limit > 0 && limit <= maxLimit
      ? list(limit, query)
      : refuse(`limit must be a whole number from 1 to ${maxLimit}`)
  })

/** Returns a field of the body as text, or 'undefined' if the field is missing. */
const readField = ({ document }: ServiceCall, name: string): string =>
  String(new Map(Object.entries(document ?? {})).get(name))

const finishAll = ({ service }: ControlParts): void => {
  while (service.finishDue() > 0);
}

const createStateRoutes = (parts: ControlParts): ControlRoute[] => {
  const { catalogue, store, clock, service, faults, exchanges, wake } = parts
  const describeClock = () => ({ now: toIso(clock.now()), clockOffsetMs: store.readClockOffset() })
  return [
    createListRoute(
      '/state',
      'show wallets, stock and orders, newest first (?limit=, ?before=NUMBER)',
      ['before'],
      (limit, query) => {
        finishAll(parts)
        const before = Number(query.get('before') ?? Number.MAX_SAFE_INTEGER)
        if (!Number.isSafeInteger(before)) return refuse('before must be an order number, such as ?before=12')
        const orders = store.transaction(() => store.orders.listNewest(limit, before).map(service.refresh))
        return ok({
          ...describeClock(),
          seed: store.seed,
          wallets: describeWallets(store),
          stock: store.listStock(),
          orders: orders.map(summarizeOrder),
        })
      },
    ),
    createRoute('GET', '/catalogue', 'show the catalogue in the format of a catalogue file', () =>
      ok(toCatalogueDocument(catalogue)),
    ),
    createRoute('POST', '/reset', 'reset all state except the seed', () => {
      store.reset()
      faults.clear()
      exchanges.clear()
      return ok({ message: 'Reset.' })
    }),
    createRoute('POST', '/clock', 'advance the clock: {"advance": "11m"}', (call) => {
      const ms = parseDuration(readField(call, 'advance'))
      if (ms === undefined) return refuse(`advance must be ${durationForm}`)
      if (clock.now() + ms > endOfDates)
        return refuse('the clock cannot go past the year 9999; advance it by less')
      store.advanceClock(ms)
      finishAll(parts)
      wake()
      return ok(describeClock())
    }),
    createRoute(
      'POST',
      '/outcome',
      `set the outcome of an order (${forcibleOutcomes.join(', ')}): {"orderId", "outcome"}`,
      (call) => {
        const outcome = forcibleOutcomes.find((name) => name === readField(call, 'outcome'))
        if (outcome === undefined) return refuse(`outcome must be one of ${forcibleOutcomes.join(', ')}`)
        return store.transaction(() => forceOutcome(parts, readField(call, 'orderId'), outcome))
      },
    ),
  ]
}

/** A confirmed order ends now. An order that is not confirmed yet ends at its usual time. */
const forceOutcome = (parts: ControlParts, orderId: string, outcome: ForcedOutcome): HttpResponse => {
  const { orders } = parts.store
  const row = orders.find(orderId)
  if (row === undefined) return refuse('No order has this id. List the orders: GET /_mock/state', 404)
  if (row.finished === 1)
    return refuse(`The order is already ${row.state}. Set the outcome before the order ends.`, 409)
  if (!canEndAs(outcome, readOrderLines(row)))
    return refuse('An order with one SKU cannot be partial. Order two SKUs or more.', 409)
  orders.force(row.number, outcome, row.confirmed_at === null ? null : parts.clock.now())
  finishAll(parts)
  parts.wake()
  return ok(summarizeOrder(orders.find(orderId) ?? row))
}

const listExchange = (exchange: Exchange) => {
  const { path: target, request, response, ...listed } = describeExchange(exchange)
  const { at, path } = exchange.entry
  return {
    ...{ ...listed, at: toIso(at), path },
    query: Object.fromEntries(new URLSearchParams(target.slice(path.length))),
    request: listMessage(request),
    response: response && listMessage(response),
  }
}

const listDelivery = (delivery: ListedDelivery) => ({
  ...delivery,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, at: toIso(attempt.at) })),
})

type Message = ReturnType<typeof describeExchange>['request']

const listMessage = ({ headers, body }: Message) => ({
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, keyHeaders.has(name) ? maskKey(value) : value]),
  ),
  body: { ...body, json: 'text' in body && !body.isCut ? tryReadJson(body.text).document : undefined },
})

const keyHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key'])

/** Shows the scheme: `Bearer …`. */
const maskKey = (value: string): string => (/^(?:basic|bearer) /i.exec(value)?.[0] ?? '') + hiddenMark

const createLogRoutes = ({ store, clock, exchanges, wake }: ControlParts): ControlRoute[] => [
  createListRoute(
    '/requests',
    'list requests with their bodies and responses, newest first (?path=, ?orderId=, ?since=, ?limit=)',
    ['path', 'orderId', 'since'],
    (limit, query) => {
      const [path, orderId, sinceText] = ['path', 'orderId', 'since'].map((name) => query.get(name))
      // A query turns the + of '+00:00' into a space, unless the client escapes it.
      const since = sinceText ? Date.parse(sinceText.replace(/ (?=\d\d:\d\d$)/, '+')) : 0
      if (Number.isNaN(since)) return refuse('since must be a time, such as 2026-03-01T12:00:00Z')
      if (path && !path.startsWith('/')) return refuse('path must begin with /, such as /order')
      const found = exchanges
        .listAfter(0)
        .filter(
          ({ entry }) =>
            entry.at >= since &&
            entry.path.startsWith(path ?? '') &&
            (orderId === null || entry.orderId === orderId),
        )
      return ok(found.slice(-limit).reverse().map(listExchange))
    },
  ),
  createListRoute(
    '/deliveries',
    'list webhook deliveries and their attempts, newest first (?limit=)',
    [],
    (limit) => ok(store.deliveries.list({ limit }).map(listDelivery)),
  ),
  createRoute('POST', '/redeliver', 'send a webhook again: {"deliveryId"}', (call) => {
    const id = readField(call, 'deliveryId')
    if (!store.deliveries.redeliver(id, clock.now()))
      return refuse('No delivery has this id. List the deliveries: GET /_mock/deliveries', 404)
    wake()
    return ok({ id, state: 'pending' })
  }),
]

const createFaultRoutes = ({ faults }: ControlParts): ControlRoute[] => [
  createRoute('GET', '/faults', 'list the active faults', () => ok(faults.list())),
  createRoute('POST', '/faults', 'add a fault: {"fault": "confirm:reset-after"}', (call) => {
    const fault = parseFault(readField(call, 'fault'))
    return typeof fault === 'string' ? refuse(fault) : ok({ id: faults.add(fault) })
  }),
  createRoute('DELETE', '/faults', 'remove all faults, or one (?id=)', ({ query }) => {
    const id = query.get('id')
    if (id === null) faults.clear()
    else if (!faults.remove(Number(id)))
      return refuse('No fault has this id. List the faults: GET /_mock/faults', 404)
    return ok(faults.list())
  }),
]

const toIso = (ms: number): string => new Date(ms).toISOString()
const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms))

const describeWallets = (store: Store) =>
  store.listWallets().map(({ currency, opening, balance }) => ({
    currency,
    opening: fromMinor(currency, opening),
    balance: fromMinor(currency, balance),
  }))

const summarizeOrder = (row: OrderRow) => ({
  number: row.number,
  id: row.id,
  reference: row.reference,
  state: row.state,
  wallet: row.wallet,
  total: fromMinor(row.wallet, row.total),
  products: readOrderLines(row).map(({ sku, quantity, quote }) => ({ sku, quantity, quote })),
  createdAt: toIso(row.created_at),
  expiresAt: toIso(row.expires_at),
  confirmedAt: toIsoOrNull(row.confirmed_at),
  finalAt: toIsoOrNull(row.final_at),
  forcedOutcome: row.forced,
})
