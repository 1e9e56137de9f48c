// Sends one POST to a checked address.
import type { RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { builtin } from '../../builtin.ts'
import type { Target } from './address.ts'

type CheckedTarget = Extract<Target, { url: URL }>

const maxResponseBytes = 64 * 1024

const networkErrors = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
])

const describeError = (error: Error): string => {
  const code = 'code' in error ? String(error.code) : error.name
  return code.startsWith('HPE_') ? 'the response is not HTTP' : (networkErrors.get(code) ?? `failed: ${code}`)
}

export type PostResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly error: string }

/** Resolves when the response's body ends, exceeds 64 KiB or breaks off, because only the status counts. */
export const post = async (
  { url, host, addresses }: CheckedTarget,
  headers: Readonly<Record<string, string>>,
  payload: string,
  signal: AbortSignal,
): Promise<PostResult> => {
  const { request } = url.protocol === 'https:' ? builtin.https() : builtin.http()
  const body = Buffer.from(payload)
  const lookup: LookupFunction = (_host, { all }, resolveHost) => {
    const [first] = addresses
    if (all) resolveHost(null, [...addresses])
    else if (first) resolveHost(null, first.address, first.family)
  }
  const options: RequestOptions = {
    method: 'POST',
    host,
    servername: isIP(host) > 0 ? '' : host,
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, 'content-length': String(body.length) },
    lookup,
    // A shared agent could reuse a connection to another address, or use a proxy that resolves the name again.
    agent: false,
    signal,
  }
  return new Promise((resolve) => {
    let hasResponse = false
    const fail = (error: string) => {
      if (!hasResponse) resolve({ error })
    }
    const clientRequest = request(options, (response) => {
      hasResponse = true
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxResponseBytes) response.destroy()
      })
      response.on('error', () => {})
      const { statusCode: status = 0, headers } = response
      response.on('close', () => resolve({ status, retryAfter: headers['retry-after'] }))
    })
    clientRequest.on('error', (error) => fail(describeError(error)))
    clientRequest.on('close', () => fail('connection closed without a response'))
    clientRequest.end(body)
  })
}
