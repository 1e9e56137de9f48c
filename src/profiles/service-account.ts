// Describes the account of a service, as the environment or a profile names it. Settings of the environment override
// those of the profile.
import { type Auth, defaultAuth, maskAuth, parseAuth } from '../contract/auth.ts'
import { maskBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { createViolation, formatViolation, type Violation } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import { type AccountKey, type KeyOptions, resolveEnvironmentKey, resolveProfileKey } from './account-key.ts'
import { environmentName, findAccountNameProblem, type Profile } from './profile.ts'

export type ServiceAccount = AccountKey & {
  readonly kind: 'service'
  /** The profile's name, or 'environment'. */
  readonly name: string
  readonly baseUrl: string
  /** Set by the user if the address serves several accounts. */
  readonly account?: string
  readonly auth: Auth
  readonly allowHttp: boolean
  readonly wallet?: string
  /** The path of the product file. */
  readonly products?: string
} & Pick<Profile, 'journal' | 'journalPasswordCommand' | 'lastJournal'>

export type AccountSettings = KeyOptions & {
  /** The value of `--allow-http`. */
  readonly allowHttp?: boolean | undefined
}

export const baseUrlName = 'ORDERCTL_BASE_URL'
export const accountName = 'ORDERCTL_ACCOUNT'
export const authName = 'ORDERCTL_AUTH'

export const resolveEnvironment = (options: AccountSettings): ServiceAccount => {
  const { environment, allowHttp = false } = options
  const violations: Violation[] = []
  const given = environment[baseUrlName] ?? ''
  const address = parseBaseUrl(given, allowHttp)
  if ('problems' in address) {
    violations.push(createVariableViolation(baseUrlName, maskBaseUrl(given), address.problems.join('; ')))
  }
  const auth = readAuth(environment, defaultAuth, violations)
  const account = readAccount(environment, undefined, violations)
  if (violations.length > 0 || 'problems' in address) throw createEnvironmentFailure(violations)
  return {
    kind: 'service',
    name: environmentName,
    baseUrl: address.baseUrl,
    account,
    auth,
    allowHttp,
    ...resolveEnvironmentKey(auth, options),
  }
}

export const resolveProfile = (profile: Profile, options: AccountSettings): ServiceAccount => {
  const { name, baseUrl, wallet, products, journal, journalPasswordCommand, lastJournal } = profile
  const violations: Violation[] = []
  const auth = readAuth(options.environment, profile.auth, violations)
  const account = readAccount(options.environment, profile.account, violations)
  if (violations.length > 0) throw createEnvironmentFailure(violations)
  return {
    kind: 'service',
    name,
    baseUrl,
    account,
    auth,
    allowHttp: options.allowHttp === true || profile.allowHttp === true,
    wallet,
    products,
    journal,
    journalPasswordCommand,
    lastJournal,
    ...resolveProfileKey(profile, auth, options),
  }
}

type Environment = AccountSettings['environment']

const readAuth = (environment: Environment, otherwise: Auth, violations: Violation[]): Auth => {
  const text = environment[authName]
  if (text === undefined) return otherwise
  const read = parseAuth(text)
  if ('auth' in read) return read.auth
  violations.push(createVariableViolation(authName, maskAuth(text), read.allowed))
  return otherwise
}

const readAccount = (
  environment: Environment,
  otherwise: string | undefined,
  violations: Violation[],
): string | undefined => {
  const text = environment[accountName]
  if (text === undefined) return otherwise
  const allowed = findAccountNameProblem(text)
  if (allowed !== undefined) violations.push(createVariableViolation(accountName, text, allowed))
  return text
}

const createVariableViolation = (name: string, given: string, allowed: string): Violation =>
  createViolation({ [name]: given }, [name], allowed)

const createEnvironmentFailure = (violations: readonly Violation[]): Failure =>
  new Failure('usage', 'the account in the environment is invalid', {
    field: violations[0]?.path ?? baseUrlName,
    violations: violations.map(formatViolation),
    fix: 'orderctl help environment',
  })
