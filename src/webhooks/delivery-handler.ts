// Reads one delivery from a request, within the limits, and answers it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'
import type { Delivery } from './delivery.ts'

/** A text that explains the status to the sender. */
export type Answer = { readonly status: number; readonly text: string }

export type DeliveryHandlerOptions = {
  /** Begins with a slash. */
  readonly path: string
  readonly bodyBytes: number
  readonly now: () => number
  /** Decides the answer. A rejection answers 500. */
  readonly receive: (delivery: Delivery) => Promise<Answer>
  /** Called for each delivery to the path that was refused before `receive` saw it. */
  readonly onRefused: (answer: Answer) => void
  readonly isClosing: () => boolean
}

export const createDeliveryHandler = (options: DeliveryHandlerOptions) => {
  const { bodyBytes, now, receive, onRefused, isClosing } = options
  const isOurPath = createPathCheck(options.path)

  const answer = (response: ServerResponse, { status, text }: Answer, isLast = isClosing()): void => {
    if (response.headersSent || response.destroyed) return
    response
      .writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        ...(status === 405 ? { allow: 'POST' } : {}),
        ...(status === 503 ? { 'retry-after': '1' } : {}),
        ...(isLast ? { connection: 'close' } : {}),
      })
      .end(`${text}\n`)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, bodyBytes)
    // The sender has gone, or was too slow.
    if (body === 'broken') return
    if (body === 'too large') {
      const refusal = { status: 413, text: `The body is larger than ${bodyBytes} bytes.` }
      onRefused(refusal)
      return answer(response, refusal)
    }
    answer(response, await receive({ headers: listHeaders(request), body, at: now() }))
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = findRefusal(request, isOurPath)
    if (refusal !== undefined) {
      if (refusal.status !== 404) onRefused(refusal)
      answer(response, refusal)
      return
    }
    serve(request, response).catch(() =>
      answer(response, { status: 500, text: 'Unexpected error. Send it again later.' }, true),
    )
  }
}

const findRefusal = (
  { method, url = '', headers }: IncomingMessage,
  isOurPath: (path: string) => boolean,
): Answer | undefined => {
  // A wrong path says nothing else, so that nobody can search for the right one.
  if (!isOurPath(url.replace(/\?.*$/s, ''))) return { status: 404, text: 'Not found.' }
  if (method !== 'POST') return { status: 405, text: 'Send deliveries with POST.' }
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding.toLowerCase() === 'identity'
    ? undefined
    : { status: 415, text: 'Send the body without Content-Encoding.' }
}

/** Takes the same time for each wrong path. */
const createPathCheck = (path: string): ((given: string) => boolean) => {
  const { createHash, timingSafeEqual } = builtin.crypto()
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(path)
  return (given) => timingSafeEqual(digest(given), expected)
}

const readBody = (request: IncomingMessage, most: number): Promise<Buffer | 'too large' | 'broken'> =>
  new Promise((resolve) => {
    if (Number(request.headers['content-length']) > most) return resolve('too large')
    const chunks: Buffer[] = []
    let size = 0
    request
      .on('data', (chunk: Buffer) => {
        size += chunk.length
        // Node discards the rest, so that the sender can read the answer.
        if (size > most) resolve('too large')
        else chunks.push(chunk)
      })
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', () => resolve('broken'))
      .on('close', () => resolve('broken'))
  })

const listHeaders = ({ rawHeaders }: IncomingMessage): Delivery['headers'] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    rawHeaders[2 * index + 1] ?? '',
  ])

const parserStatuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

export const handleClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable) return void socket.destroy()
  const status = parserStatuses[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
}
