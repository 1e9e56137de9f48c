// The network transport to one base URL. It never follows a redirect and never sends a request twice. The size limit applies
// to the decompressed response.

import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { parseBaseUrl } from '../contract/account-id.ts'
import { jsonLimits } from '../contract/json.ts'
import {
  CutOffError,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  NotSentError,
  type Transport,
} from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { type Environment, findProxy, openDispatcher, type ProxyChoice } from '../http/dispatcher.ts'
import { send, tooLargeReason } from '../http/send.ts'
import { isBrokenInstallation } from '../package-file.ts'

export const acceptEncoding = 'gzip, deflate, br'

const maxEncodings = 3
const { maxBytes: maxOutputLength } = jsonLimits

type Decoder = (body: Uint8Array, isPart: boolean) => Uint8Array

/** Throws CutOffError with the part that can be decoded if the body is damaged or too large. */
export const decodeResponse = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = readEncodings(response.headers)
  if (names.length === 0 || response.body.length === 0) return response
  const { 'content-encoding': _, 'content-length': _encodedLength, ...headers } = response.headers
  try {
    if (names.length > maxEncodings) throw new Error('the response is compressed too many times')
    const decoders = await loadDecoders()
    const decode = (packed: Uint8Array, name: string) => decodeWhole(packed, decoders.get(name))
    return { ...response, headers, body: names.reduceRight(decode, Buffer.from(response.body)) }
  } catch (error) {
    throw new CutOffError((error as Error).message, await decodePartly(response))
  }
}

/** Decodes the beginning of an incomplete response, because it may contain the id of an order. */
export const decodePartly = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = readEncodings(response.headers)
  if (names.length > maxEncodings) return response
  const decoders = names.length === 0 ? undefined : await loadDecoders()
  const decode = (packed: Uint8Array, name: string) => decodeBeginning(packed, decoders?.get(name))
  return { ...response, body: names.reduceRight(decode, Buffer.from(response.body)) }
}

const readEncodings = ({ 'content-encoding': encoding = '' }: Headers): string[] =>
  encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')

const loadDecoders = async (): Promise<ReadonlyMap<string, Decoder>> => {
  const { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } = await import(
    'node:zlib'
  )
  const { Z_FINISH, Z_SYNC_FLUSH, BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH } = constants
  const zlib =
    (decode: typeof gunzipSync, part = Z_SYNC_FLUSH, whole = Z_FINISH): Decoder =>
    (body, isPart) =>
      decode(body, { maxOutputLength, finishFlush: isPart ? part : whole })
  return new Map<string, Decoder>([
    ['gzip', zlib(gunzipSync)],
    ['x-gzip', zlib(gunzipSync)],
    ['br', zlib(brotliDecompressSync, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH)],
    // RFC 9110 defines deflate as zlib, but some servers send the raw stream.
    ['deflate', (body, isPart) => zlib(isZlib(body) ? inflateSync : inflateRawSync)(body, isPart)],
  ])
}

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

const decodeWhole = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) throw new Error('the response has an unsupported content encoding')
  try {
    return decode(packed, false)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(code === 'ERR_BUFFER_TOO_LARGE' ? tooLargeReason : 'the compressed response is damaged')
  }
}

// The order id is near the beginning, and the limit stops decompression bombs.
const maxPartBytes = 64 * 1024

/** Returns the body unchanged if nothing can be decoded, because it may not be compressed. */
const decodeBeginning = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) return packed
  for (let length = Math.min(packed.length, maxPartBytes); length > 0; length = Math.floor(length / 2)) {
    try {
      const body = decode(packed.subarray(0, length), true)
      if (body.length > 0) return body
    } catch {
      // Damaged or too large, so the loop tries a shorter part.
    }
  }
  return packed
}

export type NetworkOptions = {
  /** `https://HOST` or `https://HOST/PREFIX`. */
  readonly baseUrl: string
  /** Also allows plain http to other machines. */
  readonly allowHttp?: boolean | undefined
  /** Contains the proxy variables. */
  readonly environment: Environment
  readonly userAgent?: string | undefined
  /** Replaces the system's name resolver. */
  readonly lookup?: LookupFunction | undefined
}

export type Network = Transport & {
  /** Closes the connections. Pending requests fail. */
  close(): Promise<void>
}

/** Throws a Failure of the kind usage if the address or the proxy is invalid. */
export const createNetwork = (options: NetworkOptions): Network => {
  const { baseUrl, allowHttp = false, environment, userAgent = 'orderctl', lookup } = options
  const base = parseBase(baseUrl, allowHttp)
  const prefix = base.pathname.replace(/\/+$/, '')
  const proxy = findProxy(base, environment)
  const isLoopbackOnly = base.protocol === 'http:' && !allowHttp
  const opened = new Map<string, Promise<Dispatcher>>()
  let closed = false

  // A create or confirm never reuses a connection. The service may be closing it at that moment, and then it is
  // unknown whether the service read the request.
  const dispatcherFor = (use: 'reads' | 'changes'): Promise<Dispatcher> => {
    const dispatcher = opened.get(use) ?? openDispatcher(base.origin, proxy, { isLoopbackOnly, lookup })
    opened.set(use, dispatcher)
    return dispatcher
  }

  const transport = async ({ method, path, headers, body, signal }: HttpRequest) => {
    if (closed) throw new NotSentError('the client was closed')
    const use = method === 'GET' ? 'reads' : 'changes'
    const options = {
      ...{ origin: base.origin, path: prefix + path, method, body },
      headers: { 'user-agent': userAgent, 'accept-encoding': acceptEncoding, ...headers },
      reset: use === 'changes',
      // These idle timeouts do not stop a slow server, so the signal carries the deadline.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    }
    const dispatcher = await dispatcherFor(use).catch((error) => {
      throw new NotSentError(
        isBrokenInstallation(error)
          ? 'a file of orderctl is missing or incomplete'
          : 'the connection could not be prepared',
      )
    })
    return decodeResponse(
      await send(dispatcher, options, signal).catch(decodeCutOff).catch(addVariables(environment, proxy)),
    )
  }

  return Object.assign(transport, {
    close: async (): Promise<void> => {
      closed = true
      await Promise.allSettled([...opened.values()].map(async (dispatcher) => (await dispatcher).destroy()))
    },
  })
}

const decodeCutOff = async (error: unknown): Promise<never> => {
  throw error instanceof CutOffError
    ? new CutOffError(error.message, await decodePartly(error.response))
    : error
}

/** Reports the environment variables that explain the failure, because users forget that they have set a proxy. */
const addVariables =
  (environment: Environment, proxy: ProxyChoice | undefined) =>
  (error: unknown): never => {
    if (!(error instanceof NotSentError)) throw error
    const isUntrusted = error.message.startsWith('certificate') && environment[unsafeVariable] === '0'
    const notes = [
      // Without the login.
      proxy === undefined ? '' : `${proxy.variable} is ${new URL(proxy.uri).host}`,
      isUntrusted ? `${unsafeVariable} is ignored` : '',
    ].filter(Boolean)
    throw notes.length === 0
      ? error
      : new NotSentError(`${error.message} (${notes.join('; ')})`, error.advice)
  }

/** Node would connect without checking the certificate. */
const unsafeVariable = 'NODE_TLS_REJECT_UNAUTHORIZED'

/** The error omits the URL because it may contain a password. */
const parseBase = (baseUrl: string, allowHttp: boolean): URL => {
  const parsed = parseBaseUrl(baseUrl, allowHttp)
  if ('baseUrl' in parsed) return new URL(parsed.baseUrl)
  throw new Failure('usage', `the base URL is invalid; allowed: ${parsed.problems.join('; ')}`, {
    advice: 'Set it to https://HOST or https://HOST/PREFIX.',
  })
}
