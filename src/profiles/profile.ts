// Checks the fields of a profile, typed or read from the file. It does not use zod, which takes 10 ms to load.

import { isAbsolute } from 'node:path'
import { maskBaseUrl, parseBaseUrl } from '../contract/account-id.ts'
import { defaultAuth, maskAuth, parseAuth } from '../contract/auth.ts'
import { parseWebhookHost, webhookHostForm } from '../contract/limits.ts'
import { currencyForm, normalizeCurrency } from '../contract/shape.ts'
import { createViolation, type Violation } from '../contract/violations.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  /**
   * The system's credential store contains the key. The id is new for each key, so that two folders of profiles never
   * share one.
   */
  | { readonly kind: 'system'; readonly id: string }
  /** The command runs each time the key is needed. Its output is never stored. */
  | { readonly kind: 'command'; readonly command: string }

export type Profile = {
  readonly name: string
  readonly baseUrl: string
  /** Set by the user if the address serves several accounts. */
  readonly account?: string
  readonly wallet?: string
  /** The absolute path of the product file. */
  readonly products?: string
  /** The value of --auth. */
  readonly auth: string
  readonly allowHttp?: boolean
  /** Whether an assistant in a shell may do what only a person may do. */
  readonly assistants?: 'allow' | 'refuse'
  /** The host that may get codes by webhook without a prompt. */
  readonly webhookHost?: string
  readonly credential?: Credential
  /** The address of the journal that a team shares. It contains no password. */
  readonly journal?: string
  /** A command that prints the journal's password. Its output is never stored. */
  readonly journalPasswordCommand?: string
}

/** The built-in profile: the embedded service. */
export const sandbox = 'sandbox'

/** The name of an account that only environment variables define. */
export const environmentName = 'environment'

/** Returns the allowed form if the name is invalid. */
export const findAccountNameProblem = (name: string): string | undefined =>
  /^[A-Za-z\d][\w.-]{0,63}$/.test(name)
    ? undefined
    : 'up to 64 letters, digits, . _ and -, beginning with a letter or digit'

/** Returns the allowed form if the name is invalid. */
export const findNameProblem = (name: string): string | undefined => {
  const problem = findAccountNameProblem(name)
  if (problem !== undefined) return problem
  const taken = [sandbox, environmentName].find((each) => each === name.toLowerCase())
  return taken === undefined ? undefined : `a different name: ${taken} is built in`
}

type Report = (field: string, allowed: string) => unknown

/** Lists the allowed values if the text is wrong. */
type FindProblem = (text: string) => string | undefined

const findGapProblem: FindProblem = (text) => (text === '' ? 'a text that is not empty' : undefined)

/** The texts that are kept as they are. Only the first two are required. */
const texts: Partial<Record<keyof Profile, FindProblem>> = {
  name: findNameProblem,
  auth: (text) => {
    const parsed = parseAuth(text)
    return 'allowed' in parsed ? parsed.allowed : undefined
  },
  account: findAccountNameProblem,
  wallet: (text) => (normalizeCurrency(text) === undefined ? currencyForm : undefined),
  products: (text) => (isAbsolute(text) ? undefined : 'the absolute path of a file'),
  assistants: (text) => (text === 'allow' || text === 'refuse' ? undefined : 'allow or refuse'),
  webhookHost: (text) => (parseWebhookHost(text) === text ? undefined : webhookHostForm),
  journal: findGapProblem,
  journalPasswordCommand: findGapProblem,
}

/** Reads a profile from the file. Returns undefined if any field is invalid. Omits unknown fields. */
export const readProfile = (found: unknown, report: Report): Profile | undefined => {
  const given = toFields(found)
  const { baseUrl, allowHttp, credential } = given
  let isValid = true
  const reject: Report = (field, allowed) => {
    isValid = false
    report(field, allowed)
  }
  const address = parseBaseUrl(typeof baseUrl === 'string' ? baseUrl : '', allowHttp === true)
  if ('problems' in address) reject('baseUrl', address.problems.join('; '))
  const kept: Record<string, unknown> = { allowHttp }
  for (const [field, findProblem] of Object.entries(texts)) {
    const value = given[field]
    kept[field] = value
    if (value === undefined && field !== 'name' && field !== 'auth') continue
    const allowed = findProblem(typeof value === 'string' ? value : '')
    if (allowed !== undefined) reject(field, allowed)
  }
  if (allowHttp !== undefined && typeof allowHttp !== 'boolean') reject('allowHttp', 'true or false')
  if (typeof kept.wallet === 'string') kept.wallet = normalizeCurrency(kept.wallet)
  const key = credential === undefined ? undefined : readCredential(credential, reject)
  if (!isValid || 'problems' in address) return undefined
  return { ...kept, baseUrl: address.baseUrl, credential: key } as Profile
}

const toFields = (found: unknown): Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const readCredential = (found: unknown, reject: Report): Credential | undefined => {
  const { kind, key, command, id } = toFields(found)
  if (kind === 'key' && isText(key)) return { kind, key }
  if (kind === 'command' && isText(command)) return { kind, command }
  if (kind === 'system' && typeof id === 'string' && /^\w[\w-]{0,63}$/.test(id)) return { kind, id }
  reject('credential', 'a key, an id of the credential store or a command')
  return undefined
}

export type ProfileInput = Omit<Profile, 'auth'> & {
  /** The value of `--auth` (default: bearer). */
  readonly auth?: string | undefined
}

/** Reports all violations, not only the first. */
export const checkProfile = (
  input: ProfileInput,
): { readonly profile: Profile } | { readonly violations: readonly Violation[] } => {
  const given = {
    ...input,
    baseUrl: maskBaseUrl(input.baseUrl),
    auth: maskAuth(input.auth ?? ''),
    credential: undefined,
  }
  const violations: Violation[] = []
  const reject: Report = (field, allowed) => violations.push(createViolation(given, [field], allowed))
  const { auth = defaultAuth, allowHttp } = input
  const profile = readProfile({ ...input, auth, allowHttp: allowHttp || undefined }, reject)
  return profile === undefined ? { violations } : { profile }
}
