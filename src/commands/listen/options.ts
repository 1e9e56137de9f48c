// The options of `orderctl listen`, read once from its flags.
import type { Context } from '../../context.ts'
import { findSecretProblem } from '../../contract/http/webhook-signature.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readSessionOptions, type SessionOptions } from '../shared/options.ts'
import { readInput } from '../shared/read-input.ts'
import type { ListenFlags } from './flags.ts'
import { readTarget } from './target-url.ts'

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

export const readListenOptions = async (context: Context, flags: ListenFlags): Promise<ListenOptions> => {
  const reader = createFlagReader('listen')
  const port = reader.read(
    '--port',
    flags.port,
    parsePort,
    'a whole number from 0 to 65535; 0 picks a free one',
  )
  const host = reader.read('--host', flags.host, (text) => text.trim() || undefined, 'an address')
  const path = reader.read('--path', flags.path, parsePath, 'a path such as /hooks/3f9c, without ? and #')
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
  const given = {
    '--port': flags.port,
    '--host': flags.host,
    '--path': flags.path,
    '--secret-stdin': flags.secretStdin,
    '--forward-to': flags.forwardTo,
  }
  for (const [flag, value] of Object.entries(given)) {
    if (value !== undefined) addProblem(`${flag} cannot be used with --status`, flag)
  }
  check()
}

export const refuseSandbox = ({ kind }: Pick<Account, 'kind'>): void => {
  if (kind !== 'sandbox') return
  throw new Failure('usage', 'the sandbox sends no webhooks, so there is nothing to listen for', {
    field: '--profile',
    fix: 'Select another profile with --profile, or test with the local service: orderctl serve-mock',
  })
}

const parsePort = (text: string): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

const parsePath = (text: string): string | undefined =>
  /^\/[\w\-.~/%!$&'()*+,;=:@]{1,500}$/.test(text) ? text : undefined

const readSecret = async (context: Context): Promise<string> => {
  const secret = new TextDecoder().decode(await readInput(context, '-', 'the secret')).trim()
  const problem = findSecretProblem(secret)
  if (problem === undefined) return secret
  throw new Failure('usage', `the secret is invalid: ${problem}`, {
    field: '--secret-stdin',
    fix: 'printf %s "$SECRET" | orderctl listen --secret-stdin',
  })
}
