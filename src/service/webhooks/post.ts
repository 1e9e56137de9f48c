// One POST to a pinned address: the answer's status, or the reason why there was none.
import type { RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { builtin } from '../../builtin.ts'
import type { Target } from './address.ts'

type Pinned = Extract<Target, { url: URL }>

const maxAnswerBytes = 64 * 1024

const reasons = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
])

const reasonOf = (error: Error): string => {
  const code = 'code' in error ? String(error.code) : error.name
  return code.startsWith('HPE_') ? 'the answer is not HTTP' : (reasons.get(code) ?? `failed: ${code}`)
}

/** Resolves once the answer's body has ended, grown too long or been cut: only its status counts. */
export const post = async (
  { url, host, addresses }: Pinned,
  headers: Readonly<Record<string, string>>,
  payload: string,
  signal: AbortSignal,
): Promise<{ readonly status: number } | { readonly error: string }> => {
  const { request } = url.protocol === 'https:' ? builtin.https() : builtin.http()
  const body = Buffer.from(payload)
  const pinned: LookupFunction = (_host, { all }, answer) => {
    const [first] = addresses
    if (all) answer(null, [...addresses])
    else if (first) answer(null, first.address, first.family)
  }
  const options: RequestOptions = {
    method: 'POST',
    host,
    servername: isIP(host) > 0 ? '' : host,
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, 'content-length': String(body.length) },
    lookup: pinned,
    // An agent of its own for each request: nothing is kept alive, and no proxy resolves the name again.
    agent: false,
    signal,
  }
  return new Promise((resolve) => {
    let answered = false
    const fail = (error: string) => {
      if (!answered) resolve({ error })
    }
    const sent = request(options, (response) => {
      answered = true
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) response.destroy()
      })
      response.on('error', () => {})
      response.on('close', () => resolve({ status: response.statusCode ?? 0 }))
    })
    sent.on('error', (error) => fail(reasonOf(error)))
    sent.on('close', () => fail('connection closed without an answer'))
    sent.end(body)
  })
}
