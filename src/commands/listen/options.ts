// What `orderctl listen` needs besides its flags: the secret, a path, and the name of the target.
import type { Context } from '../../context.ts'
import { isLoopbackHost } from '../../contract/base-url.ts'
import { findSecretProblem, readSecretKey } from '../../contract/http/webhook-signature.ts'
import { Failure } from '../../errors.ts'
import { type SessionOptions, sessionOf } from '../shared/options.ts'
import { readInput } from '../shared/read-input.ts'
import type { ListenFlags } from './spec.ts'

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

const guessableLength = 16
const shortestSecretBytes = 24

export const readListenOptions = async (context: Context, flags: ListenFlags): Promise<ListenOptions> => {
  const { port, host, path, forwardTo: target, json: isJson } = flags
  const secret = flags.secretStdin ? await readSecret(context) : undefined
  if (path !== undefined && path.length < guessableLength && secret === undefined) {
    context.stderr.write(
      'warning: the path is easy to guess, and deliveries are accepted without a signature. Omit --path, or use --secret-stdin.\n',
    )
  }
  return {
    // The log has lines of its own, so no progress is drawn.
    session: { ...sessionOf(flags), showsProgress: false },
    isJson,
    port,
    host,
    path: path ?? `/${context.clock.newId().replaceAll('-', '')}`,
    secret,
    target,
  }
}

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

/** The query may hold a key. */
export const nameTarget = ({ origin, pathname }: URL): string => `${origin}${pathname}`

export const warnOfPlainHttp = ({ stderr }: Pick<Context, 'stderr'>, { protocol, hostname }: URL): void => {
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  stderr.write(
    `warning: --forward-to sends deliveries, which may contain codes, to ${hostname} without encryption\n`,
  )
}
