// Chooses the account that a call acts on: flag over environment over profile. What could be read two ways is
// refused: a key must not reach another account's host, and an order must not fall to the sandbox.

import { accountIdOf, isSameAccount } from '../contract/account-id.ts'
import { type Auth, defaultAuth, maskedAuth, parseAuth } from '../contract/auth.ts'
import { maskedBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { type Violation, violationAt, violationText } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import { type AccountKey, environmentKey, profileKey } from './account-key.ts'
import { accountNameProblem, environmentName, type Profile, sandbox } from './profile.ts'
import { noProfileInUse, type Profiles, unknownProfile } from './store.ts'

type SandboxAccount = {
  readonly kind: 'sandbox'
  readonly name: 'sandbox'
  /** Nobody chose it: no profile was ever saved. */
  readonly isDefault?: true
}

type ServiceAccount = AccountKey & {
  readonly kind: 'service'
  /** The profile's name, or 'environment'. */
  readonly name: string
  readonly baseUrl: string
  /** Declared by the user, if the address serves separate accounts. */
  readonly account?: string
  readonly auth: Auth
  readonly allowHttp: boolean
  readonly wallet?: string
  /** The file of the products that it sells. */
  readonly products?: string
}

export type Account = SandboxAccount | ServiceAccount

export type AccountOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of `--profile`. */
  readonly profileName?: string | undefined
  /** Orderctl chose the profile itself, so the environment may name another account without a contradiction. */
  readonly isChosenHere?: boolean | undefined
  /** The value of `--allow-http`. */
  readonly allowHttp?: boolean | undefined
  /** False if nothing will be sent: then a missing key does not matter. */
  readonly needsKey?: boolean | undefined
  /** Called only if they are needed: an account in the environment needs no folder. */
  readonly profiles: () => Pick<Profiles, 'get' | 'current' | 'list'>
  readonly runCommand: (command: string) => Promise<string>
  readonly onWarning?: (text: string) => void
}

const baseUrlName = 'ORDERCTL_BASE_URL'
const accountName = 'ORDERCTL_ACCOUNT'
const keyName = 'ORDERCTL_API_KEY'
const authName = 'ORDERCTL_AUTH'
const profileVariable = 'ORDERCTL_PROFILE'

const sandboxAccount: Account = { kind: 'sandbox', name: sandbox }

export const resolveAccount = (options: AccountOptions): Account => {
  const { environment, profileName, profiles } = options
  const isSet = (name: string): boolean => environment[name] !== undefined
  if (profileName !== undefined) return ofFlag(profileName, options)
  refuseEmpty(options)
  const chosen = environment[profileVariable]
  if (chosen !== undefined) return ofVariable(chosen, options)
  if (isSet(baseUrlName)) return fromEnvironment(options)
  const loose = [keyName, authName].find(isSet)
  if (loose !== undefined) throw withoutAccount(loose)
  const current = profiles().current()
  if (current === undefined) throw noProfileInUse(profiles().list())
  if (current.name !== sandbox) return fromProfile(profileOf(current.name, options), options)
  if (isSet(accountName)) throw withoutAccount(accountName)
  return current.isDefault ? { ...sandboxAccount, isDefault: true } : sandboxAccount
}

// A secret that a pipeline was not given arrives as an empty variable. That must never select the sandbox.
const refuseEmpty = ({ environment, needsKey = true }: AccountOptions): void => {
  const all = [baseUrlName, accountName, authName, profileVariable, ...(needsKey ? [keyName] : [])]
  const empty = all.find((name) => environment[name] === '')
  if (empty === undefined) return
  throw new Failure(empty === keyName ? 'credentials' : 'usage', `${empty} is set, but empty`, {
    field: empty,
    fix: `Give it a value, or unset it.`,
  })
}

const withoutAccount = (variable: string): Failure =>
  new Failure('usage', `${variable} is set, but not the account that it belongs to`, {
    field: variable,
    fix: `Set ${baseUrlName} too, or name a profile with --profile or ${profileVariable}, or unset ${variable}.`,
  })

const contradiction = (one: string, other: string): Failure =>
  new Failure('usage', `${one} and ${other} name different accounts`, {
    field: one,
    fix: `Unset ${one} or ${other}.`,
  })

/** An environment that names another account is left out as a whole: nothing of it is for this profile. */
const ofFlag = (name: string, options: AccountOptions): Account => {
  if (name === sandbox) return sandboxAccount
  const { environment, isChosenHere = false, needsKey = true } = options
  const profile = profileOf(name, options)
  const other = [baseUrlName, profileVariable].find(
    (variable) => environment[variable] !== undefined && !isNamedBy(variable, profile, options),
  )
  const isUnclaimed =
    isChosenHere && [baseUrlName, profileVariable].every((each) => environment[each] === undefined)
  if (other === undefined && !isUnclaimed) return fromProfile(profile, options)
  if (other !== undefined && !isChosenHere && needsKey && environment[keyName]) {
    throw new Failure(
      'usage',
      `--profile ${name} and ${other} name different accounts, and ${keyName} is set`,
      {
        field: other,
        fix: `Unset ${keyName} to use the key of ${name}, or leave out --profile.`,
      },
    )
  }
  return fromProfile(profile, { ...options, environment: {} })
}

const ofVariable = (name: string, options: AccountOptions): Account => {
  const { environment } = options
  if (name === sandbox) {
    const other = [baseUrlName, keyName, authName, accountName].find(
      (each) => environment[each] !== undefined,
    )
    if (other !== undefined) throw contradiction(other, profileVariable)
    return sandboxAccount
  }
  const profile = profileOf(name, options, profileVariable)
  if (environment[baseUrlName] !== undefined && !isNamedBy(baseUrlName, profile, options)) {
    throw contradiction(profileVariable, baseUrlName)
  }
  return fromProfile(profile, options)
}

const profileOf = (name: string, options: AccountOptions, field?: string): Profile => {
  const profiles = options.profiles()
  const profile = profiles.get(name)
  if (profile === undefined) throw unknownProfile(name, profiles.list(), field)
  return profile
}

/** Whether a variable of the environment names the account of this profile. */
const isNamedBy = (
  variable: string,
  profile: Profile,
  { environment, profiles }: AccountOptions,
): boolean => {
  const text = environment[variable] ?? ''
  const declared = environment[accountName]
  const isOf = (baseUrl: string, account: string | undefined): boolean =>
    isSameAccount(accountIdOf(baseUrl, account), accountIdOf(profile.baseUrl, declared ?? profile.account))
  if (variable === profileVariable) {
    const named = profiles().get(text)
    return named !== undefined && isOf(named.baseUrl, declared ?? named.account)
  }
  const address = parseBaseUrl(text, true)
  return 'baseUrl' in address && isOf(address.baseUrl, declared)
}

const fromEnvironment = (options: AccountOptions): ServiceAccount => {
  const { environment, allowHttp = false } = options
  const violations: Violation[] = []
  const given = environment[baseUrlName] ?? ''
  const address = parseBaseUrl(given, allowHttp)
  if ('problems' in address) {
    violations.push(wrong(baseUrlName, maskedBaseUrl(given), address.problems.join('; ')))
  }
  const auth = authOf(environment, defaultAuth, violations)
  const account = accountIn(environment, undefined, violations)
  if (violations.length > 0 || 'problems' in address) throw unusable(violations)
  return {
    kind: 'service',
    name: environmentName,
    baseUrl: address.baseUrl,
    ...(account === undefined ? {} : { account }),
    auth,
    allowHttp,
    ...environmentKey(auth, options),
  }
}

const fromProfile = (profile: Profile, options: AccountOptions): ServiceAccount => {
  const { name, baseUrl, wallet, products } = profile
  const violations: Violation[] = []
  const auth = authOf(options.environment, profile.auth, violations)
  const account = accountIn(options.environment, profile.account, violations)
  if (violations.length > 0) throw unusable(violations)
  return {
    kind: 'service',
    name,
    baseUrl,
    ...(account === undefined ? {} : { account }),
    auth,
    allowHttp: options.allowHttp === true || profile.allowHttp === true,
    ...(wallet === undefined ? {} : { wallet }),
    ...(products === undefined ? {} : { products }),
    ...profileKey(profile, auth, options),
  }
}

type Environment = AccountOptions['environment']

const authOf = (environment: Environment, otherwise: Auth, violations: Violation[]): Auth => {
  const text = environment[authName]
  if (text === undefined) return otherwise
  const read = parseAuth(text)
  if ('auth' in read) return read.auth
  violations.push(wrong(authName, maskedAuth(text), read.allowed))
  return otherwise
}

const accountIn = (
  environment: Environment,
  otherwise: string | undefined,
  violations: Violation[],
): string | undefined => {
  const text = environment[accountName]
  if (text === undefined) return otherwise
  const allowed = accountNameProblem(text)
  if (allowed !== undefined) violations.push(wrong(accountName, text, allowed))
  return text
}

const wrong = (name: string, given: string, allowed: string): Violation =>
  violationAt({ [name]: given }, [name], allowed)

const unusable = (violations: readonly Violation[]): Failure =>
  new Failure('usage', 'the environment names no account that can be used', {
    field: violations[0]?.path ?? baseUrlName,
    violations: violations.map(violationText),
    fix: 'orderctl help environment',
  })
