// The service as request → response: routes, credentials, bodies. Rules are elsewhere, sockets too.
import { endpoints, pathOf } from '../contract/endpoints.ts'
import { JsonError, jsonLimits, readJson } from '../contract/json.ts'
import { refusals } from '../contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../contract/transport.ts'
import { violationText } from '../contract/violations.ts'
import type { Answer, Service } from './service.ts'
import type { Facts, Handler } from './socket/request-log.ts'

const requestLimits = { maxBytes: 64 * 1024, maxDepth: jsonLimits.maxDepth }

/** What a route is given: the query, and the body where the method has one. */
export type Call = { readonly query: URLSearchParams; readonly document: unknown }

export type Route = {
  readonly method: string
  readonly path: string
  /** Everything but what is public by nature asks for the key. */
  readonly open?: true
  /** A request without a body is answered, too, whatever its type. */
  readonly bodyOptional?: true
  readonly answer: (call: Call, facts: Facts) => HttpResponse | Promise<HttpResponse>
}

export const jsonResponse = (
  status: number,
  body: string,
  more: Record<string, string> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...more },
  body,
})

export const messageResponse = (
  status: number,
  message: string,
  more: Record<string, string> = {},
): HttpResponse => jsonResponse(status, JSON.stringify({ message }), more)

export const orderRoutes = (service: Service): Route[] => [
  {
    ...endpoints.create,
    answer: async ({ document }, facts) => respond(await service.create(document), facts),
  },
  { ...endpoints.confirm, answer: ({ document }, facts) => respond(service.confirm(document), facts) },
  {
    ...endpoints.get,
    answer: ({ query }, facts) => respond(service.get(query.get('orderId') ?? undefined), facts),
  },
]

const respond = (answer: Answer, facts: Facts): HttpResponse => {
  if (answer.orderId !== undefined) facts.orderId = answer.orderId
  if (answer.kind === 'done') {
    facts.message = answer.message
    return jsonResponse(200, `{"message":${JSON.stringify(answer.message)},"data":${answer.data}}`)
  }
  const { status, message } = refusals[answer.refusal]
  facts.message = message
  // Spec silent on the shape of an error's body: `message` as everywhere, and what exactly is wrong beside it.
  const violations = answer.violations?.map(violationText)
  return jsonResponse(status, JSON.stringify({ message, violations }))
}

/** Every response of ours that no route gave says so in the log, too. */
const refuse = (
  facts: Facts,
  status: number,
  message: string,
  more: Record<string, string> = {},
): HttpResponse => {
  facts.message = message
  return messageResponse(status, message, more)
}

export const httpHandler = (routes: readonly Route[], apiKey: string | undefined): Handler => {
  const byPath = Map.groupBy(routes, (route) => route.path)

  return async (request, facts) => {
    // The path counts letter by letter: nothing is decoded, joined or tidied up before it is compared.
    const candidates = byPath.get(pathOf(request.path))
    if (candidates === undefined) return refuse(facts, 404, 'Not Found')
    const route = candidates.find(({ method }) => method === request.method)
    if (route === undefined) {
      const allow = candidates.map(({ method }) => method).join(', ')
      return refuse(facts, 405, `Method not allowed; allowed: ${allow}`, { allow })
    }
    if (apiKey !== undefined && route.open !== true && !hasKey(request, apiKey)) {
      return refuse(facts, refusals.credentials.status, refusals.credentials.message)
    }
    const query = new URLSearchParams(request.path.slice(route.path.length))
    const { body = '' } = request
    const takesNone = request.method === 'GET' || request.method === 'DELETE'
    if (takesNone || (route.bodyOptional && body.length === 0))
      return route.answer({ query, document: undefined }, facts)

    if (!/^application\/json(?:\s*;|$)/i.test(request.headers['content-type'] ?? '')) {
      return refuse(facts, 415, 'Content-Type must be application/json')
    }
    if (isTooLarge(body)) {
      return refuse(facts, 413, `The request body is larger than ${requestLimits.maxBytes} bytes.`)
    }
    let document: unknown
    try {
      document = readJson(body, requestLimits)
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      return refuse(facts, 400, `The request body ${error.message}`)
    }
    return route.answer({ query, document }, facts)
  }
}

// As a socket would say it. A letter is a byte at least, and three at most.
const isTooLarge = (body: string | Uint8Array): boolean => {
  const { maxBytes } = requestLimits
  if (body.length > maxBytes) return true
  return (
    typeof body === 'string' && body.length * 3 > maxBytes && new TextEncoder().encode(body).length > maxBytes
  )
}

const hasKey = ({ headers }: HttpRequest, key: string): boolean => {
  const bearer = /^Bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1]
  return isSame(bearer, key) || isSame(headers['x-api-key'], key)
}

// As long for a wrong key as for a right one, so that nobody finds it letter by letter.
const isSame = (given: string | undefined, key: string): boolean => {
  if (given === undefined) return false
  let difference = given.length ^ key.length
  for (let at = 0; at < key.length; at += 1) difference |= key.charCodeAt(at) ^ given.charCodeAt(at)
  return difference === 0
}
