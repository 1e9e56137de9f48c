// The options of `orderctl listen`, read once from its flags.
import type { Context } from '../../context.ts'
import { isLoopbackHost } from '../../contract/base-url.ts'
import { findSecretProblem, readSecretKey } from '../../contract/http/webhook-signature.ts'
import { Failure } from '../../errors.ts'
import { createFlagReader, type FlagReader } from '../shared/flag-reader.ts'
import { readSessionOptions, type SessionOptions } from '../shared/options.ts'
import { readInput } from '../shared/read-input.ts'
import type { ListenFlags } from './flags.ts'

export type ListenOptions = {
  readonly session: SessionOptions
  readonly isJson: boolean
  readonly port: number
  readonly host: string
  readonly path: string
  /** Undefined if deliveries need no signature. */
  readonly secret: string | undefined
  readonly target: URL | undefined
}

const defaultPort = 4020
const guessableLength = 16
const shortestSecretBytes = 24

export const readListenOptions = async (context: Context, flags: ListenFlags): Promise<ListenOptions> => {
  const reader = createFlagReader('listen')
  const { read } = reader
  const port = read('--port', flags.port, parsePort, 'a whole number from 0 to 65535; 0 picks a free one')
  const host = read('--host', flags.host, (text) => text.trim() || undefined, 'an address')
  const path = read('--path', flags.path, parsePath, 'a path such as /hooks/3f9c, without ? and #')
  const target = readTarget(reader, flags.forwardTo)
  const session = readSessionOptions(reader, flags)
  reader.check()
  const secret = flags.secretStdin === true ? await readSecret(context) : undefined
  if (path !== undefined && path.length < guessableLength && secret === undefined) {
    context.stderr.write(
      'warning: the path is easy to guess, and deliveries are accepted without a signature. Omit --path, or use --secret-stdin.\n',
    )
  }
  return {
    // The log has lines of its own, so no progress is drawn.
    session: { ...session, showsProgress: false },
    isJson: flags.json === true,
    port: port ?? defaultPort,
    host: host ?? '127.0.0.1',
    path: path ?? `/${context.clock.newId().replaceAll('-', '')}`,
    secret,
    target,
  }
}

/** For `--status`, which uses no other flag. */
export const refuseWithStatus = (flags: ListenFlags): void => {
  const { addProblem, check } = createFlagReader('listen')
  const { port, host, path, secretStdin, forwardTo } = flags
  const given = { port, host, path, 'secret-stdin': secretStdin, 'forward-to': forwardTo }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) addProblem(`--${name} cannot be used with --status`, `--${name}`)
  }
  check()
}

const parsePort = (text: string): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

const parsePath = (text: string): string | undefined =>
  /^\/[\w\-.~/%!$&'()*+,;=:@]{1,500}$/.test(text) ? text : undefined

const readSecret = async (context: Context): Promise<string> => {
  const secret = new TextDecoder().decode(await readInput(context, '-', 'the secret')).trim()
  const problem = findSecretProblem(secret)
  if (problem !== undefined) {
    throw new Failure('usage', `the secret is invalid: ${problem}`, {
      field: '--secret-stdin',
      fix: (suggest) => `Read it from a file: ${suggest`listen --secret-stdin`} < secret.txt`,
    })
  }
  const { length } = readSecretKey(secret)
  if (length < shortestSecretBytes)
    context.stderr.write(
      `warning: the secret is short (${length} bytes). Use at least ${shortestSecretBytes} random bytes.\n`,
    )
  return secret
}

const flag = '--forward-to'
const form = 'a URL that begins with https:// or http://, without user name, password or #'

export const readTarget = ({ read, addProblem }: FlagReader, text: string | undefined): URL | undefined => {
  // A value that may have a password is not printed.
  if (text?.includes('@') !== true || parseTarget(text) !== undefined)
    return read(flag, text, parseTarget, form)
  addProblem(`${flag} must be ${form}`, flag)
  return undefined
}

const parseTarget = (text: string): URL | undefined => {
  const url = /^https?:\/\//i.test(text) && !/[\s\\#\p{Cc}]/u.test(text) ? URL.parse(text) : null
  return url === null || url.username !== '' || url.password !== '' ? undefined : url
}

/** The query may hold a key. */
export const nameTarget = ({ origin, pathname }: URL): string => `${origin}${pathname}`

export const warnOfPlainHttp = ({ stderr }: Pick<Context, 'stderr'>, { protocol, hostname }: URL): void => {
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  stderr.write(
    `warning: --forward-to sends deliveries, which may contain codes, to ${hostname} without encryption\n`,
  )
}
