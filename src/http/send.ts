// Sends one request and reads its response. Its errors show whether a byte was sent.
import type { Dispatcher } from 'undici'
import { jsonLimits } from '../contract/json.ts'
import {
  CutOffError,
  createBody,
  type Headers,
  type HttpResponse,
  NotSentError,
} from '../contract/transport.ts'

type SendOptions = Dispatcher.DispatchOptions & { readonly origin: string }
type ReceivedResponse = HttpResponse & { readonly body: Uint8Array }

const tooLargeReason = `the response is larger than ${jsonLimits.maxBytes / 1024 ** 2} MiB`

const flattenHeaders = (headers: object): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )

/**
 * Throws NotSentError until the head of this request is written, and a different Error from then on. undici calls
 * onRequestStart right before it writes the head. Its channel `undici:client:sendHeaders` cannot distinguish two equal
 * requests of one process.
 */
export const send = (
  dispatcher: Dispatcher,
  options: SendOptions,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const body = createBody(jsonLimits.maxBytes)
    const readBody = () => body.read() ?? new Uint8Array()
    let status = 0
    let headers: Headers = {}
    let started: Dispatcher.DispatchController | undefined
    let isOver = false

    const finish = (): void => {
      isOver = true
      signal?.removeEventListener('abort', abort)
    }
    const makeError = (reason: string, cause?: Error): Error => {
      if (started === undefined) return new NotSentError(reason, findAdvice(reason), { cause })
      if (status === 0) return new Error(reason)
      return new CutOffError(reason, { status, headers, body: readBody() })
    }
    const fail = (reason: string, cause?: Error): void => {
      if (isOver) return
      finish()
      reject(makeError(reason, cause))
      started?.abort(new Error(reason))
    }
    const abort = (): void => fail(describeAbort(signal as AbortSignal))
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)

    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        // The call ended while it waited for a connection, or undici is about to retry the request.
        if (isOver || started !== undefined) controller.abort(new Error('not to be sent'))
        else started = controller
      },
      onResponseStart: (_controller, statusCode, found) => {
        if (statusCode < 200) return
        status = statusCode
        headers = flattenHeaders(found)
      },
      onResponseData: (_controller, chunk) => {
        if (!body.add(chunk)) fail(tooLargeReason)
      },
      onResponseEnd: () => {
        if (isOver) return
        finish()
        resolve({ status, headers, body: readBody() })
      },
      onResponseError: (_controller, error) =>
        fail(describeError(error, new URL(options.origin).hostname), error),
    })
  })

const expired = 'certificate has expired'
const notYetValid = 'certificate is not valid yet'
const selfSigned = 'certificate is self-signed'
const unknownAuthority = 'certificate is signed by an unknown authority'

const clockAdvice = 'Check the clock of this machine. If it is right, the service needs a new certificate.'
const authorityAdvice =
  'If a private authority signed it, set NODE_EXTRA_CA_CERTS to the certificate of that authority, or NODE_USE_SYSTEM_CA=1 if this system trusts it.'

const revoked = 'certificate is revoked'
const wrongName = 'certificate is not for'

const adviceByReason: Readonly<Record<string, string>> = {
  [revoked]: 'The service needs a new certificate.',
  [expired]: clockAdvice,
  [notYetValid]: clockAdvice,
  [selfSigned]: authorityAdvice,
  [unknownAuthority]: authorityAdvice,
}

const findAdvice = (reason: string): string | undefined =>
  reason.startsWith(wrongName) ? 'Check the base URL.' : adviceByReason[reason]

const codesByReason: Readonly<Record<string, readonly string[]>> = {
  'connection refused': ['ECONNREFUSED'],
  'connection reset': ['ECONNRESET', 'EPIPE'],
  'host unreachable': ['EHOSTUNREACH'],
  'network unreachable': ['ENETUNREACH', 'EADDRNOTAVAIL'],
  'connection not permitted': ['EACCES', 'EPERM'],
  'TLS handshake failed': ['EPROTO'],
  'connection timed out': ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  'the connection closed before the response was complete': ['UND_ERR_SOCKET'],
  'the response does not have its announced length': ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
  'the headers of the response are too large': ['UND_ERR_HEADERS_OVERFLOW'],
  'the request is not valid HTTP': ['UND_ERR_INVALID_ARG'],
  'the client was closed': ['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'],
  'the proxy closed the connection': ['UND_ERR_PRX_CONN'],
  "the proxy's certificate is not for its name": ['UND_ERR_PRX_TLS'],
  [expired]: ['CERT_HAS_EXPIRED'],
  [notYetValid]: ['CERT_NOT_YET_VALID'],
  [revoked]: ['CERT_REVOKED'],
  [selfSigned]: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  [unknownAuthority]: [
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ],
}

/** The error code for a connection to a different machine. The error includes its `address`. */
export const notThisMachine = 'NOT_THIS_MACHINE'

type KnownError = Error & { readonly code?: unknown; readonly hostname?: unknown; readonly address?: unknown }

export const describeError = (error: Error, host: string): string => {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code: given, hostname, address, message } = first as KnownError
  const code = typeof given === 'string' ? given : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `cannot resolve ${typeof hostname === 'string' ? hostname : host}`
  if (code === notThisMachine)
    return `${host} resolves to ${address}, not to this machine: plain http needs --allow-http`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${wrongName} ${host}`
  // undici reports the proxy's status only in its message, and a 407 as an invalid argument.
  const refused = /^Proxy (?:response \((\d{3})\)|Authentication Required \((407)\))/.exec(message)
  if (refused !== null) return `the proxy refused the connection: HTTP ${refused[1] ?? refused[2]}`
  const known = Object.keys(codesByReason).find((reason) => codesByReason[reason]?.includes(code))
  if (known !== undefined) return known
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'the response is not HTTP'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'TLS handshake failed'
  return `failed: ${code === '' ? error.name : code}`
}

/** A plain AbortError has no reason of its own. */
export const describeAbort = ({ reason }: AbortSignal): string =>
  reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'interrupted'

export type Posted = {
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array | string
}

/** Sends a webhook once. The status is enough, so the response may be cut off. */
export const post = (
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  { headers, body }: Posted,
  signal: AbortSignal,
): Promise<Pick<HttpResponse, 'status' | 'headers'>> => {
  const options = {
    origin,
    path: pathname + search,
    method: 'POST' as const,
    headers: headers.flat(),
    body,
    // A reused connection may be closed by the receiver at that moment.
    reset: true,
    // The signal carries the deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  return send(dispatcher, options, signal).catch((error) => {
    if (error instanceof CutOffError) return error.response
    throw error
  })
}
