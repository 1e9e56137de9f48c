// Opens connections, and finds the password that they need.
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { type Connection, connect, type Limits } from './connection.ts'
import { describePasswordFile, lookUpPassword, type PasswordSources } from './password.ts'
import { writePasswordLine } from './pgpass.ts'
import { createTlsOptions } from './tls.ts'

export type ConnectorOptions = PasswordSources & {
  readonly address: Address
  /** Asks a person or a command for the password. Called once at most, if the server wants one and none is found. */
  readonly askPassword?: () => Promise<string | undefined>
  readonly limits: Limits
}

export const createConnector = (
  options: ConnectorOptions,
): ((closed: AbortSignal) => Promise<Connection>) => {
  const { address, askPassword, limits } = options
  const warn = onceEach(options.warn)
  const tls = createTlsOptions(address)
  let asked: Promise<string | undefined> | undefined

  const tryConnect = async (
    closed: AbortSignal,
    password: string | undefined,
  ): Promise<Connection | undefined> => {
    let isMissing = false
    const givePassword = async () => {
      const found = password ?? lookUpPassword(address, { ...options, warn })
      isMissing = found === undefined
      if (found === undefined) throw new Error('the server asks for a password')
      return found
    }
    try {
      return await connect({ address, tls, password: givePassword, limits, closed })
    } catch (error) {
      if (isMissing) return undefined
      throw error
    }
  }

  return async (closed) => {
    const connection = await tryConnect(closed, await asked)
    if (connection !== undefined) return connection
    // Asking may take longer than the server waits for an answer.
    asked ??= askPassword?.() ?? Promise.resolve(undefined)
    const password = await asked
    const second = password === undefined ? undefined : await tryConnect(closed, password)
    if (second !== undefined) return second
    throw new Failure('local-state', `cannot connect to ${address.text}: the server asks for a password`, {
      fix: `Put it into PGPASSWORD, or add this line to ${describePasswordFile(options)} (mode 0600): ${writePasswordLine(address)}`,
    })
  }
}

/** Each connection looks up the password again, because a process may outlive it. */
const onceEach = (warn: (text: string) => void): ((text: string) => void) => {
  const printed = new Set<string>()
  return (text) => {
    if (!printed.has(text)) warn(text)
    printed.add(text)
  }
}
