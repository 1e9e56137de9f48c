// Serves the inspector: its page to everyone, and its data to requests with the token.

import { operations, stripQuery } from '../../contract/endpoints.ts'
import { writeJson } from '../../contract/json.ts'
import type { Clock } from '../../contract/time/clock.ts'
import type { Headers, Transport } from '../../contract/transport.ts'
import { type ControlParts, describeWallets, summarizeOrder } from '../control.ts'
import type { ExchangeLog } from '../exchange-log.ts'
import { faultKinds } from '../faults/faults.ts'
import {
  createHttpHandler,
  createJsonResponse,
  createMessageResponse,
  isEqual,
  type Route,
  type RouteResponse,
} from '../http.ts'
import type { OrderRow } from '../stored-orders.ts'
import { describeExchange, summarizeExchange } from './describe-exchange.ts'

export type InspectorParts = Pick<ControlParts, 'store' | 'clock' | 'faults' | 'service'> & {
  readonly exchanges: ExchangeLog
  readonly controlRoutes: readonly Route[]
  /** The machine's clock. `clock` can be ahead. */
  readonly systemClock: Clock
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

export const inspectorPath = '/_mock/ui'
const dataPath = `${inspectorPath}/data`

/**
 * Handles requests to the inspector's paths, which are in no log. `readFile` reads a file of the page by its name.
 */
export const createInspector = (
  { token, readFile }: { readonly token: string; readonly readFile: (name: string) => string },
  parts: InspectorParts,
): ((transport: Transport) => Transport) => {
  const handlePage = createHttpHandler(createPageRoutes(readFile), undefined)
  const handleData = createHttpHandler(createDataRoutes(parts), undefined)
  const handle: Transport = async (request) => {
    if (!stripQuery(request.path).startsWith(`${dataPath}/`)) return handlePage(request, {})
    return isEqual(request.headers['x-inspector-token'], token)
      ? handleData(request, {})
      : createMessageResponse(401, 'The token of the inspector is missing or wrong.')
  }
  return (transport) => async (request) => {
    if (!isInspectorPath(request.path)) return transport(request)
    const response = await handle(request)
    return { ...response, headers: { ...response.headers, ...safeHeaders } }
  }
}

const createPageRoutes = (readFile: (name: string) => string): Route[] => {
  const serve = (path: string, name: string): Route => ({
    method: 'GET',
    path: inspectorPath + path,
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

/** The service's control routes, and the data that only the inspector shows. */
const createDataRoutes = (parts: InspectorParts): Route[] => {
  const show = (path: string, read: (id: string) => RouteResponse): Route => ({
    method: 'GET',
    path: dataPath + path,
    handle: ({ query }) => read(query.get('id') ?? ''),
  })
  return [
    ...parts.controlRoutes.map((route) => ({ ...route, path: route.path.replace(/^\/_mock/, dataPath) })),
    show('/events', () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: '',
      parts: (signal) => streamEvents(parts, signal),
    })),
    show('/exchange', (id) => {
      const exchange = parts.exchanges.find(Number(id))
      return exchange === undefined
        ? createMessageResponse(404, 'This request is no longer kept.')
        : createJsonResponse(200, JSON.stringify(describeExchange(exchange)))
    }),
    show('/order', (id) => {
      const row = parts.store.orders.find(id)
      const deliveries = parts.store.deliveries.listOf(id)
      const order = row && { ...describeOrder(parts.service.refresh(row)), deliveries }
      // A browser would report an unknown order as an error if the status were 404.
      return createJsonResponse(200, writeJson({ order: order ?? null }))
    }),
  ]
}

/** Each page polls, so recording a request notifies no page and costs the same with and without one. */
const pollMs = 250

/** The server-sent events that keep the page up to date. A slow reader gets fewer, larger events. */
async function* streamEvents(
  { store, faults, service, clock, systemClock, exchanges: log }: InspectorParts,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let sent = { id: 0, oldest: 0, state: '' }
  const kinds = Object.entries(faultKinds).map(([kind, { summary, value }]) => ({ kind, summary, value }))
  yield writeEvent('setup', JSON.stringify({ operations: [...operations, 'any'], faultKinds: kinds }))
  while (!signal.aborted) {
    const exchanges = log.listAfter(sent.id)
    const oldest = log.oldestId()
    const orders = store.transaction(() => store.orders.listNewest(50).map(service.refresh))
    // Leaves out the time, so that equal states have equal texts.
    const state = writeJson({
      clockOffsetMs: store.readClockOffset(),
      wallets: describeWallets(store),
      stock: store.listStock(),
      orders: orders.map(describeOrder),
      deliveries: store.deliveries.list({ limit: 50 }),
      faults: faults.list(),
    })
    const before = sent
    sent = { id: exchanges.at(-1)?.id ?? before.id, oldest, state }
    if (exchanges.length > 0 || oldest !== before.oldest)
      yield writeEvent('requests', JSON.stringify({ oldest, requests: exchanges.map(summarizeExchange) }))
    if (state !== before.state) yield writeEvent('state', `{"now":${clock.now()},${state.slice(1)}`)
    await systemClock.sleep(pollMs, signal)
  }
}

const writeEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`

const describeOrder = (row: OrderRow) => ({
  ...summarizeOrder(row),
  processingAt: row.processing_at === null ? null : new Date(row.processing_at).toISOString(),
})

const isInspectorPath = (target: string): boolean =>
  target.startsWith(inspectorPath) && /^(?:[/?]|$)/.test(target.slice(inspectorPath.length))

/** Whether the request may come from the page itself. `host` must have passed the host check. */
export const isFromInspector = (target: string, origin: string, host: string): boolean =>
  isInspectorPath(target) && (origin === `http://${host}` || origin === `https://${host}`)
