// Serves the inspector: its page to everyone, and its data to requests with the token.

import { writeJson } from '../contract/json.ts'
import { type Headers, stripQuery, type Transport } from '../contract/transport.ts'
import { describeExchange, type ExchangeLog, summarizeExchange } from './exchange-log.ts'
import { listFaultForms } from './faults.ts'
import type { ControlParts } from './http.ts'
import { createHttpHandler, createJsonResponse, createMessageResponse, isEqual, type Route } from './http.ts'

export type InspectorParts = Pick<ControlParts, 'store' | 'faults'> & {
  readonly exchanges: ExchangeLog
  readonly controlRoutes: readonly Route[]
}

/** The files of the page with their content types. */
export const pageFiles: Readonly<Record<string, string>> = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'exchange.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
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
      headers: { 'content-type': pageFiles[name] ?? '' },
      body: readFile(name),
    }),
  })
  return [
    serve('', 'page.html'),
    serve('/', 'page.html'),
    ...Object.keys(pageFiles).map((name) => serve(`/${name}`, name)),
  ]
}

/** The service's control routes, and the data that only the inspector shows. */
const createDataRoutes = ({ controlRoutes, exchanges, store, faults }: InspectorParts): Route[] => {
  /** Responds with 404 if there is no data. */
  const show = (path: string, read: (query: URLSearchParams) => unknown): Route => ({
    method: 'GET',
    path: dataPath + path,
    handle: ({ query }) => {
      const data = read(query)
      return data === undefined
        ? createMessageResponse(404, 'This request is no longer kept.')
        : createJsonResponse(200, writeJson(data))
    },
  })
  return [
    ...controlRoutes.map((route) => ({ ...route, path: route.path.replace(/^\/_mock/, dataPath) })),
    // The page asks twice a second. `after` is the id of the newest request that it has.
    show('/updates', (query) => ({
      oldest: exchanges.oldestId(),
      requests: exchanges.listAfter(Number(query.get('after'))).map(summarizeExchange),
      faults: faults.list(),
      deliveries: store.deliveries.list({ limit: 50 }),
    })),
    show('/exchange', (query) => {
      const exchange = exchanges.find(Number(query.get('id')))
      return exchange && describeExchange(exchange)
    }),
    show('/fault-forms', listFaultForms),
  ]
}

const isInspectorPath = (target: string): boolean =>
  target.startsWith(inspectorPath) && /^(?:[/?]|$)/.test(target.slice(inspectorPath.length))

/** Whether the request may come from the page itself. `host` must have passed the host check. */
export const isFromInspector = (target: string, origin: string, host: string): boolean =>
  isInspectorPath(target) && (origin === `http://${host}` || origin === `https://${host}`)
