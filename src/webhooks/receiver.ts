// Receives deliveries over HTTP at one secret path. It does not know what they are about.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { builtin } from '../builtin.ts'
import { createDeliveryHandler, type DeliveryHandlerOptions, handleClientError } from './delivery-handler.ts'

const defaultLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  /** The time for a whole request. */
  requestMs: 10_000,
  connections: 256,
  keepAliveMs: 5_000,
}

export type ReceiverOptions = Omit<DeliveryHandlerOptions, 'bodyBytes' | 'isClosing'> & {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly limits?: Partial<typeof defaultLimits>
}

export type Receiver = {
  /** The URL of the path, for a sender on this machine. */
  readonly url: string
  /** Accepts no more connections. Resolves when each request is answered, or too slow. */
  close(): Promise<void>
}

/** Rejects with Node's own error if the port cannot be opened. */
export const openReceiver = async ({ host, port, ...options }: ReceiverOptions): Promise<Receiver> => {
  const limits = { ...defaultLimits, ...options.limits }
  let isClosing = false
  const server = builtin
    .http()
    .createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.requestMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: Math.ceil(limits.requestMs / 20),
        keepAliveTimeout: limits.keepAliveMs,
        insecureHTTPParser: false,
      },
      createDeliveryHandler({ ...options, bodyBytes: limits.bodyBytes, isClosing: () => isClosing }),
    )
    .on('connect', (_request, socket) => socket.on('error', () => {}).destroy())
    .on('clientError', handleClientError)
  server.maxConnections = limits.connections
  server.listen(port, host)
  await once(server, 'listening')
  // An error of a later connection, such as too many open files, must not end the process.
  server.on('error', () => {})
  const address = server.address() as AddressInfo
  return {
    url: formatUrl(host, address, options.path),
    close: async () => {
      if (isClosing) return
      isClosing = true
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      // A closing server checks no time limits, so a slow sender could delay the end forever.
      const limit = setTimeout(() => server.closeAllConnections(), limits.requestMs)
      await closed
      clearTimeout(limit)
    },
  }
}

const formatUrl = (host: string, { address, port, family }: AddressInfo, path: string): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? (host === '' ? address : host)
  const isBracketed = family === 'IPv6' && reachable.includes(':')
  return `http://${isBracketed ? `[${reachable}]` : reachable}:${port}${path}`
}
