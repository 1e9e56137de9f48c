// Describes the account of a service, as the environment or a profile names it, and finds its key. Settings of the
// environment override those of the profile.
import { type Auth, defaultAuth, findKeyProblem, maskAuth, parseAuth } from '../contract/auth.ts'
import { maskBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { createViolation, formatViolation, type Violation } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import type { KeyItem } from './key-tools.ts'
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

type AccountKey = {
  /** Call it only when the key is needed, because it may run a program (at most once). */
  readonly getKey: () => Promise<string>
  /** Missing if a program has to run for the key. */
  readonly getKnownKey?: () => string
}

type KeyOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** False if nothing will be sent, so that a missing key does not matter. */
  readonly needsKey?: boolean | undefined
  readonly runCommand: (command: string) => Promise<string>
  /** Reads the system's credential store. */
  readonly readStoredKey: (item: KeyItem) => Promise<string>
  readonly onWarning?: (text: string) => void
}

export const keyName = 'ORDERCTL_API_KEY'

const resolveEnvironmentKey = (auth: Auth, options: KeyOptions): AccountKey => {
  const key = readKeyVariable(options)
  const missing = (): Failure =>
    new Failure('credentials', `ORDERCTL_BASE_URL is set, but ${keyName} is not`, {
      field: keyName,
      fix: `Set ${keyName}.`,
    })
  return key === undefined
    ? { getKey: refuseMissingKey(options, missing) }
    : createKnown(cleanKey(key, auth, keyName))
}

const resolveProfileKey = (
  { name, baseUrl, credential }: Profile,
  auth: Auth,
  options: KeyOptions,
): AccountKey => {
  const given = readKeyVariable(options)
  if (given !== undefined) {
    const key = cleanKey(given, auth, keyName)
    if (credential !== undefined && options.needsKey !== false)
      options.onWarning?.(`using ${keyName} instead of the key of the profile ${name}`)
    return createKnown(key)
  }
  if (credential === undefined) {
    const missing = (): Failure =>
      new Failure('credentials', `the profile ${name} has no key`, {
        fix: (suggest) =>
          `Set ${keyName}, or add a key to the profile: ${suggest`profile set ${name} --key-stdin`}`,
      })
    return { getKey: refuseMissingKey(options, missing) }
  }
  if (credential.kind === 'key')
    return createKnown(cleanKey(credential.key, auth, `the key of the profile ${name}`))
  const read = async (): Promise<string> => {
    if (credential.kind === 'command')
      return cleanKey(
        await options.runCommand(credential.command),
        auth,
        `the key that the command of ${name} printed`,
      )
    const stored = await options.readStoredKey({ profile: name, baseUrl, id: credential.id })
    return cleanKey(stored, auth, `the key of the profile ${name}`)
  }
  let reading: Promise<string> | undefined
  return {
    getKey: () => {
      reading ??= read()
      return reading
    },
  }
}

/** An empty key counts as missing if no key is needed. Otherwise it is refused. */
const readKeyVariable = ({ environment, needsKey = true }: KeyOptions): string | undefined =>
  needsKey ? environment[keyName] : environment[keyName] || undefined

const createKnown = (key: string): AccountKey => ({ getKey: async () => key, getKnownKey: () => key })

const refuseMissingKey = ({ needsKey = true }: KeyOptions, missing: () => Failure) => {
  if (needsKey) throw missing()
  return async (): Promise<never> => {
    throw missing()
  }
}

/** Removes surrounding space, which files and secret stores add. `source` begins the message. */
export const cleanKey = (text: string, auth: Auth, source: string): string => {
  const key = text.trim()
  const problem = findKeyProblem(key, auth)
  if (problem === undefined) return key
  throw new Failure('credentials', `${source} ${problem}`, { fix: 'Copy the complete key again.' })
}
