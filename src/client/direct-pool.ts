// Direct connections to one origin, and the check that plain http stays on this machine.
import type { LookupFunction } from 'node:net'
import type { buildConnector as Build, Dispatcher } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { isLoopbackAddress } from '../contract/base-url.ts'
import { notThisMachine } from './reasons.ts'

export type DirectOptions = {
  /** Whether connections to other machines are refused. */
  readonly isLoopbackOnly: boolean
  /** Resolves names instead of the system. */
  readonly lookup?: LookupFunction | undefined
}

// With HTTP/2, a server may ask for a request to be sent again.
export const tlsOptions = { allowH2: false }

export const openDirectPool = (origin: string, { isLoopbackOnly, lookup }: DirectOptions): Dispatcher => {
  const connect = buildConnector({ ...tlsOptions, ...(lookup === undefined ? {} : { lookup }) })
  return new Pool(origin, { ...tlsOptions, connect: isLoopbackOnly ? refuseOtherMachines(connect) : connect })
}

/** A resolver may say that x.localhost is another machine: the address of the socket decides, before the first byte. */
const refuseOtherMachines =
  (connect: Build.connector): Build.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      // Undefined if the other side has already closed the connection.
      const { remoteAddress: address } = socket
      if (address !== undefined && isLoopbackAddress(address)) return callback(null, socket)
      socket.destroy()
      const code = address === undefined ? 'ECONNRESET' : notThisMachine
      callback(Object.assign(new Error(code), { code, address }), null)
    })
