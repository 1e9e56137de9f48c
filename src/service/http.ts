// The HTTP side of the service, without sockets: routes, credentials and request bodies.

import { tryReadJson } from '../contract/json.ts'
import {
  describeAllowedMethods,
  describeTooLarge,
  maxRequestBytes,
  refusals,
  wrongContentType,
} from '../contract/refusals.ts'
import {
  endpoints,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type ServedResponse,
  stripQuery,
} from '../contract/transport.ts'
import { formatViolation } from '../contract/violations.ts'
import type { Handler, LogDetails } from './exchange-log.ts'
import type { Service, ServiceResponse } from './service.ts'

/** `document` is the parsed JSON body, if there is one. */
export type ServiceCall = {
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

const refuse = (facts: LogDetails, status: number, message: string, more?: Headers): HttpResponse => {
  facts.message = message
  return createMessageResponse(status, message, more)
}

export const createHttpHandler = (routes: readonly Route[], apiKey: string | undefined): Handler => {
  const byPath = Map.groupBy(routes, (route) => route.path)

  return async (request, facts) => {
    // Compared without decoding or normalising, so that two spellings of a path never reach one route.
    const candidates = byPath.get(stripQuery(request.path))
    if (candidates === undefined) return refuse(facts, 404, 'Not Found')
    const route = candidates.find(({ method }) => method === request.method)
    if (route === undefined) {
      const allow = candidates.map(({ method }) => method).join(', ')
      return refuse(facts, 405, describeAllowedMethods(allow), { allow })
    }
    if (apiKey !== undefined && route.open !== true && !hasKey(request, apiKey))
      return refuse(facts, refusals.credentials.status, refusals.credentials.message)
    const query = new URLSearchParams(request.path.slice(route.path.length))
    const { body = '', headers } = request
    const ignoresBody = request.method === 'GET' || request.method === 'DELETE'
    if (ignoresBody || (route.bodyOptional && body.length === 0))
      return route.handle({ query, document: undefined, headers }, facts)

    if (!/^application\/json(?:\s*;|$)/i.test(headers['content-type'] ?? ''))
      return refuse(facts, 415, wrongContentType)
    if (Buffer.byteLength(body) > maxRequestBytes)
      return refuse(facts, 413, describeTooLarge(maxRequestBytes))
    const { document, problem } = tryReadJson(body)
    if (problem !== undefined) return refuse(facts, 400, `The request body ${problem.message}`)
    return route.handle({ query, document, headers }, facts)
  }
}

const hasKey = ({ headers }: HttpRequest, key: string): boolean => {
  const bearer = /^Bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1]
  return isEqual(bearer, key) || isEqual(headers['x-api-key'], key)
}

// Takes the same time for a wrong key as for the right one, so that timing does not reveal the key.
export const isEqual = (given: string | undefined, key: string): boolean => {
  if (given === undefined) return false
  let difference = given.length ^ key.length
  for (let index = 0; index < key.length; index += 1)
    difference |= key.charCodeAt(index) ^ given.charCodeAt(index)
  return difference === 0
}
