// Opens direct connections to one origin and checks that plain http stays on this machine.
import type { LookupFunction } from 'node:net'
import type { buildConnector as Build, Dispatcher } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { isLoopbackAddress } from '../contract/account-id.ts'
import { notThisMachine } from './send.ts'

export type DirectOptions = {
  /** Refuses connections to other machines. */
  readonly isLoopbackOnly: boolean
  /** Replaces the system's name resolver. */
  readonly lookup?: LookupFunction | undefined
}

// With HTTP/2, a server may make the client send a request again. NODE_TLS_REJECT_UNAUTHORIZED must not turn off the
// certificate check.
export const tlsOptions = { allowH2: false, rejectUnauthorized: true }

export const openDirectPool = (origin: string, { isLoopbackOnly, lookup }: DirectOptions): Dispatcher => {
  const connect = buildConnector({ ...tlsOptions, ...(lookup === undefined ? {} : { lookup }) })
  return new Pool(origin, {
    ...tlsOptions,
    connect: isLoopbackOnly ? refuseOtherMachines(connect) : connect,
  })
}

/**
 * Checks the address of the socket before the first byte, because a resolver may send x.localhost to a different
 * machine.
 */
const refuseOtherMachines =
  (connect: Build.connector): Build.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      // Undefined if the server has already closed the connection.
      const { remoteAddress: address } = socket
      if (address !== undefined && isLoopbackAddress(address)) return callback(null, socket)
      socket.destroy()
      const code = address === undefined ? 'ECONNRESET' : notThisMachine
      callback(Object.assign(new Error(code), { code, address }), null)
    })
