// Serves the inspector: its page to everybody, and its data to requests with the token.
import type { Clock } from '../../contract/clock.ts'
import { operations, stripQuery } from '../../contract/endpoints.ts'
import { writeJson } from '../../contract/json.ts'
import type { Headers, HttpResponse, Transport } from '../../contract/transport.ts'
import { describeWallets, summarizeOrder } from '../control.ts'
import { faultKinds } from '../faults/faults.ts'
import type { FaultList } from '../faults/inject.ts'
import { createHttpHandler, createJsonResponse, createMessageResponse, isEqual, type Route } from '../http.ts'
import type { Store } from '../store.ts'
import type { OrderRow } from '../stored-orders.ts'
import { streamEvents } from './events.ts'
import { createExchangeLog, describeExchange, type ExchangeLog } from './exchange-log.ts'

type InspectorOptions = {
  readonly token: string
  /** Reads a file of the page by its name. */
  readonly readFile: (name: string) => string
}

export type InspectorParts = StateParts & {
  readonly controlRoutes: readonly Route[]
  /** The clock of the machine. `clock` can be ahead. */
  readonly systemClock: Clock
}

export type Inspector = Pick<ExchangeLog, 'record' | 'clear'> & {
  /** Handles requests to the paths of the inspector, which are in no log. */
  wrap(transport: Transport): Transport
}

export const pageFiles: readonly string[] = [
  ...['page.html', 'page.css', 'parts.css', 'icon.svg', 'main.js', 'connection.js', 'dom.js', 'body.js'],
  ...['exchange.js', 'faults.js', 'panels.js', 'request-list.js'],
]

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** For each response. The page writes no HTML, so the browser may refuse all of it. */
const safeHeaders: Headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const tokenHeader = 'x-inspector-token'

export const createInspector = (options: InspectorOptions, parts: InspectorParts): Inspector => {
  const log = createExchangeLog()
  const pages = createPageTransport(options, createDataRoutes(parts, log))
  return {
    record: log.record,
    clear: log.clear,
    wrap: (transport) => (request) => (isInspectorPath(request.path) ? pages : transport)(request),
  }
}

const createPageTransport = (
  { token, readFile }: InspectorOptions,
  dataRoutes: readonly Route[],
): Transport => {
  const handlePage = createHttpHandler(createPageRoutes(readFile), undefined)
  const handleData = createHttpHandler(dataRoutes, undefined)
  return async (request) => {
    const isPage = !stripQuery(request.path).startsWith(`${inspectorPath}/data/`)
    const hasToken = isEqual(request.headers[tokenHeader], token)
    const response =
      isPage || hasToken
        ? await (isPage ? handlePage : handleData)(request, {})
        : createMessageResponse(401, 'The token of the inspector is missing or wrong.')
    return { ...response, headers: { ...response.headers, ...safeHeaders } }
  }
}

const createPageRoutes = (readFile: (name: string) => string): Route[] => {
  const serve = (path: string, name: string): Route => ({
    method: 'GET',
    path: `${inspectorPath}${path}`,
    handle: () => ({
      status: 200,
      headers: { 'content-type': types[name.replace(/^.*\./, '')] ?? '' },
      body: readFile(name),
    }),
  })
  return [
    serve('', 'page.html'),
    serve('/', 'page.html'),
    ...pageFiles.map((name) => serve(`/${name}`, name)),
  ]
}

/** The routes of the service's own control, and what only the inspector shows. */
const createDataRoutes = (parts: InspectorParts, log: ExchangeLog): Route[] => {
  const { clock, systemClock, controlRoutes } = parts
  const prefix = `${inspectorPath}/data`
  const events = streamEvents({
    log,
    clock: systemClock,
    now: clock.now,
    writeState: () => writeState(parts),
    setup: JSON.stringify({ operations: [...operations, 'any'], faultKinds: listFaultKinds() }),
  })
  const show = (path: string, read: (id: string) => HttpResponse): Route => ({
    method: 'GET',
    path: `${prefix}${path}`,
    handle: ({ query }) => read(query.get('id') ?? ''),
  })
  return [
    ...controlRoutes.map((route) => ({ ...route, path: route.path.replace(/^\/_mock/, prefix) })),
    show('/events', () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: '',
      stream: events,
    })),
    show('/exchange', (id) => {
      const exchange = log.find(Number(id))
      return exchange === undefined
        ? createMessageResponse(404, 'This request is no longer kept.')
        : createJsonResponse(200, JSON.stringify(describeExchange(exchange)))
    }),
    // A browser would report an unknown order as an error if the status were 404.
    show('/order', (id) => createJsonResponse(200, `{"order":${writeOrderState(parts, id) ?? null}}`)),
  ]
}

const listFaultKinds = () =>
  Object.entries(faultKinds).map(([kind, { summary, value }]) => ({ kind, summary, value }))

type StateParts = {
  readonly store: Store
  readonly clock: Clock
  readonly faults: FaultList
  readonly refresh: (row: OrderRow) => OrderRow
}

const shownOrders = 50
const shownDeliveries = 50

/** The JSON without the time, so that equal states have equal texts. */
const writeState = ({ store, faults, refresh }: StateParts): string =>
  writeJson({
    clockOffsetMs: store.readClockOffset(),
    wallets: describeWallets(store),
    stock: store.listStock(),
    orders: store.transaction(() => store.orders.listNewest(shownOrders).map(refresh)).map(describeOrder),
    deliveries: store.deliveries.list({ limit: shownDeliveries }),
    faults: faults.list(),
  })

/** The JSON of an order with its webhooks. Undefined if no order has this id. */
const writeOrderState = ({ store, refresh }: StateParts, id: string): string | undefined => {
  const row = store.orders.find(id)
  return row && writeJson({ ...describeOrder(refresh(row)), deliveries: store.deliveries.listOf(id) })
}

const describeOrder = (row: OrderRow) => ({
  ...summarizeOrder(row),
  processingAt: row.processing_at === null ? null : new Date(row.processing_at).toISOString(),
})

export const inspectorPath = '/_mock/ui'

const isInspectorPath = (target: string): boolean =>
  target.startsWith(inspectorPath) && /^(?:[/?]|$)/.test(target.slice(inspectorPath.length))

/** Whether the request may come from the page itself. `host` must have passed the host check. */
export const isFromInspector = (target: string, origin: string, host: string): boolean =>
  isInspectorPath(target) && (origin === `http://${host}` || origin === `https://${host}`)
