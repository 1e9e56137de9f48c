// Receives deliveries over HTTP at one secret path, within limits. It does not know what they are about.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'
import type { Delivery } from './delivery.ts'

const defaultLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 3_000,
  /** The time for a whole request. */
  requestMs: 10_000,
  connections: 256,
  connectionsPerAddress: 128,
  keepAliveMs: 5_000,
}

type Limits = typeof defaultLimits

/** A text that explains the status to the sender. The log may say more: `reason`. */
export type Answer = { readonly status: number; readonly text: string; readonly reason?: string }

export type ReceiverOptions = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Begins with a slash. */
  readonly path: string
  readonly now: () => number
  /** Decides the answer. A rejection answers 500. */
  readonly receive: (delivery: Delivery) => Promise<Answer>
  /** Called for each delivery to the path that was refused. */
  readonly onRefused: (answer: Answer) => void
  readonly limits?: Partial<Limits>
}

export type Receiver = {
  /** The URL of the path, for a sender on this machine. */
  readonly url: string
  /** Accepts no more connections. Resolves when each request is answered, or too slow. */
  close(): Promise<void>
}

/** Rejects with Node's own error if the port cannot be opened. */
export const openReceiver = async (options: ReceiverOptions): Promise<Receiver> => {
  const { host, port, path } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { requestMs } = limits
  const headersTimeout = Math.min(limits.headersMs, requestMs)
  let isClosing = false
  const handle = createHandler(options, limits, () => isClosing)
  const server = builtin
    .http()
    .createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.ceil(headersTimeout / 10),
        keepAliveTimeout: limits.keepAliveMs,
        insecureHTTPParser: false,
      },
      (request, response) => void handle(request, response),
    )
    .on('connect', (_request, socket) => socket.on('error', () => {}).destroy())
    .on('clientError', handleClientError)
  closeSlowConnections(server, limits)
  server.listen(port, host)
  await once(server, 'listening')
  // An error of a later connection, such as too many open files, must not end the process.
  server.on('error', () => {})
  return {
    url: formatUrl(host, server.address() as AddressInfo, path),
    close: async () => {
      if (isClosing) return
      isClosing = true
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      // A closing server checks no time limits, so a slow sender could delay the end forever.
      const limit = setTimeout(() => server.closeAllConnections(), requestMs)
      await closed
      clearTimeout(limit)
    },
  }
}

/** Closes the slowest connection for a new one above the limits, so that slow clients do not keep others out. */
const closeSlowConnections = (server: Server, { connections, connectionsPerAddress }: Limits): void => {
  /** Those that have not sent a whole request. The first one has waited for the longest time. */
  const waiting = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    const same = [...waiting].filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress)
    const [slowest] = same.length >= connectionsPerAddress ? same : waiting.size >= connections ? waiting : []
    slowest?.destroy()
    if (slowest !== undefined) waiting.delete(slowest)
    waiting.add(socket)
    socket.on('close', () => waiting.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    request.on('end', () => waiting.delete(socket))
    response.on('close', () => !socket.destroyed && waiting.add(socket))
  })
  // Also limits those that wait for a response.
  server.maxConnections = 2 * connections
}

const createHandler = (
  { path, now, receive, onRefused }: ReceiverOptions,
  { bodyBytes }: Limits,
  isClosing: () => boolean,
) => {
  const isOurPath = createPathCheck(path)

  /** Undefined if the sender has gone, or was too slow. */
  const findAnswer = async (request: IncomingMessage): Promise<Answer | undefined> => {
    const { method, url = '', headers, rawHeaders } = request
    // A wrong path says nothing else, so that nobody can search for the right one.
    if (!isOurPath(url.replace(/\?.*$/s, ''))) return { status: 404, text: 'Not found.' }
    if (method !== 'POST') return { status: 405, text: 'Send deliveries with POST.' }
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      return { status: 415, text: 'Send the body without Content-Encoding.' }
    const body = await readBody(request, bodyBytes)
    if (body === 'too large') return { status: 413, text: `The body is larger than ${bodyBytes} bytes.` }
    return body === 'broken' ? undefined : receive({ headers: toPairs(rawHeaders), body, at: now() })
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const failed = { status: 500, text: 'Unexpected error. Send it again later.' }
    const answer = await findAnswer(request).catch(() => failed)
    if (answer === undefined) return
    const { status, text } = answer
    if (![200, 404, 500].includes(status)) onRefused(answer)
    if (response.headersSent || response.destroyed) return
    response
      .writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        ...(status === 405 ? { allow: 'POST' } : {}),
        ...(status === 503 ? { 'retry-after': '1' } : {}),
        ...(status === 500 || isClosing() ? { connection: 'close' } : {}),
      })
      .end(`${text}\n`)
  }
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

const toPairs = (rawHeaders: readonly string[]): Delivery['headers'] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    rawHeaders[2 * index + 1] ?? '',
  ])

const parserStatuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

const handleClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable) return void socket.destroy()
  const status = parserStatuses[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
}

export const formatUrl = (host: string, { address, port, family }: AddressInfo, path: string): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? (host === '' ? address : host)
  const isBracketed = family === 'IPv6' && reachable.includes(':')
  return `http://${isBracketed ? `[${reachable}]` : reachable}:${port}${path}`
}
