// Chooses the account: the flag overrides the environment, which overrides the profile in use. orderctl refuses ambiguous
// settings, so that a key never reaches a different account's host and an order never goes to the sandbox by mistake. Also
// describes a service's account and finds its key.

import { getAccountId, isSameAccount, maskBaseUrl, parseBaseUrl } from '../contract/account-id.ts'
import { type Auth, defaultAuth, findKeyProblem, maskAuth, parseAuth } from '../contract/auth.ts'
import { createViolation, formatViolation, type Violation } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import type { KeyItem } from './key-store.ts'
import {
  createNoProfileFailure,
  createUnknownProfileFailure,
  environmentName,
  findAccountNameProblem,
  type Profile,
  type Profiles,
  sandbox,
} from './store.ts'

/** Selects the journal that a team shares. */
export const journalVariable = 'ORDERCTL_JOURNAL'

/** Until a profile is saved, the sandbox is the default without the user's choice. */
export type Account =
  | { readonly kind: 'sandbox'; readonly name: 'sandbox'; readonly isDefault?: true }
  | ServiceAccount

export type AccountOptions = AccountSettings & {
  readonly profileName?: string | undefined
  /** orderctl chose the profile itself, so the environment may select a different account. */
  readonly isChosenHere?: boolean | undefined
  /** Called only if needed, because an account in the environment needs no folder. */
  readonly profiles: () => Pick<Profiles, 'get' | 'current' | 'list'>
}

const profileVariable = 'ORDERCTL_PROFILE'

const sandboxAccount: Account = { kind: 'sandbox', name: sandbox }

export const resolveAccount = (options: AccountOptions): Account => {
  const { environment, profileName, profiles } = options
  const isSet = (name: string): boolean => environment[name] !== undefined
  if (profileName !== undefined) return resolveFlag(profileName, options)
  refuseEmpty(options)
  const chosen = environment[profileVariable]
  if (chosen !== undefined) return resolveVariable(chosen, options)
  if (isSet(baseUrlName)) return resolveService(options)
  const loose = [keyName, authName].find(isSet)
  if (loose !== undefined) throw createMissingAccountFailure(loose)
  const current = profiles().current()
  if (current === undefined) throw createNoProfileFailure(profiles().list())
  if (current.name !== sandbox) return resolveService(options, getProfile(current.name, options))
  if (isSet(accountName)) throw createMissingAccountFailure(accountName)
  // A job whose account is missing, not a user who tries the sandbox.
  if (current.isDefault && isSet(journalVariable))
    throw new Failure('no-account', `${journalVariable} is set, but no account is selected`, {
      field: journalVariable,
      advice: `Set ${baseUrlName}, or select a profile with --profile. To use the sandbox anyway, add --profile sandbox.`,
    })
  return current.isDefault ? { ...sandboxAccount, isDefault: true } : sandboxAccount
}

// A missing secret of a pipeline arrives as an empty variable, which must never select the sandbox.
const refuseEmpty = ({ environment, needsKey = true }: AccountOptions): void => {
  const all = [baseUrlName, accountName, authName, profileVariable, ...(needsKey ? [keyName] : [])]
  const empty = all.find((name) => environment[name] === '')
  if (empty === undefined) return
  throw new Failure(empty === keyName ? 'credentials' : 'usage', `${empty} is set, but empty`, {
    field: empty,
    advice: `Set ${empty} to a value, or unset it.`,
  })
}

const createMissingAccountFailure = (variable: string): Failure =>
  new Failure('usage', `${variable} is set, but no account is selected`, {
    field: variable,
    advice: `Set ${baseUrlName}, select a profile with --profile or ${profileVariable}, or unset ${variable}.`,
  })

const createContradictionFailure = (one: string, other: string): Failure =>
  new Failure('usage', `${one} and ${other} select different accounts`, {
    field: one,
    advice: `Unset ${one} or ${other}.`,
  })

/** Ignores the whole environment if it selects a different account, because none of it belongs to this profile. */
const resolveFlag = (name: string, options: AccountOptions): Account => {
  if (name === sandbox) return sandboxAccount
  const { environment, isChosenHere = false, needsKey = true } = options
  const profile = getProfile(name, options)
  const set = [baseUrlName, profileVariable].filter((variable) => environment[variable] !== undefined)
  const other = set.find((variable) => !isNamedBy(variable, profile, options))
  const isUnclaimed = isChosenHere && set.length === 0
  if (other === undefined && !isUnclaimed) return resolveService(options, profile)
  if (other !== undefined && !isChosenHere && needsKey && environment[keyName]) {
    const problem = `--profile ${name} and ${other} select different accounts, and ${keyName} is set`
    const advice = `Unset ${keyName} to use the key of ${name}, or omit --profile.`
    throw new Failure('usage', problem, { field: other, advice })
  }
  return resolveService({ ...options, environment: {} }, profile)
}

const resolveVariable = (name: string, options: AccountOptions): Account => {
  const { environment } = options
  if (name === sandbox) {
    const others = [baseUrlName, keyName, authName, accountName]
    const other = others.find((each) => environment[each] !== undefined)
    if (other !== undefined) throw createContradictionFailure(other, profileVariable)
    return sandboxAccount
  }
  const profile = getProfile(name, options, profileVariable)
  if (environment[baseUrlName] !== undefined && !isNamedBy(baseUrlName, profile, options)) {
    throw createContradictionFailure(profileVariable, baseUrlName)
  }
  return resolveService(options, profile)
}

const getProfile = (name: string, options: AccountOptions, field?: string): Profile => {
  const profiles = options.profiles()
  const profile = profiles.get(name)
  if (profile === undefined) throw createUnknownProfileFailure(name, profiles.list(), field)
  return profile
}

/** Whether an environment variable selects this profile's account. */
const isNamedBy = (variable: string, profile: Profile, options: AccountOptions): boolean => {
  const { environment, profiles } = options
  const text = environment[variable] ?? ''
  const declared = environment[accountName]
  const isAccountOf = (baseUrl: string, account: string | undefined): boolean =>
    isSameAccount(getAccountId(baseUrl, account), getAccountId(profile.baseUrl, declared ?? profile.account))
  if (variable === profileVariable) {
    const named = profiles().get(text)
    return named !== undefined && isAccountOf(named.baseUrl, declared ?? named.account)
  }
  const address = parseBaseUrl(text, true)
  return 'baseUrl' in address && isAccountOf(address.baseUrl, declared)
}

/** The name is that of the profile, or 'environment'. */
export type ServiceAccount = AccountKey &
  Omit<Profile, 'credential' | 'allowHttp' | 'auth'> & {
    readonly kind: 'service'
    readonly auth: Auth
    readonly allowHttp: boolean
  }

type AccountSettings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly allowHttp?: boolean | undefined
  /** False if nothing will be sent, so that a missing key does not matter. */
  readonly needsKey?: boolean | undefined
  readonly runCommand: (command: string) => Promise<string>
  /** Reads the system's credential store. */
  readonly readStoredKey: (item: KeyItem) => Promise<string>
  readonly onWarning?: (text: string) => void
}

export const baseUrlName = 'ORDERCTL_BASE_URL'
export const accountName = 'ORDERCTL_ACCOUNT'
export const authName = 'ORDERCTL_AUTH'

/** Returns the account of the environment or of a profile. Throws one failure with all violations. */
export const resolveService = (options: AccountSettings, profile?: Profile): ServiceAccount => {
  const { environment, allowHttp = false } = options
  const violations: Violation[] = []
  const reject = (name: string, given: string, allowed: string) =>
    violations.push(createViolation({ [name]: given }, [name], allowed))
  const typed = environment[baseUrlName] ?? ''
  const address = profile ?? parseBaseUrl(typed, allowHttp)
  if ('problems' in address) reject(baseUrlName, maskBaseUrl(typed), address.problems.join('; '))
  const how = environment[authName] ?? profile?.auth ?? defaultAuth
  const sent = parseAuth(how)
  if ('allowed' in sent) reject(authName, maskAuth(how), sent.allowed)
  const declared = environment[accountName]
  const allowed = declared === undefined ? undefined : findAccountNameProblem(declared)
  if (allowed !== undefined) reject(accountName, declared ?? '', allowed)
  if ('problems' in address || 'allowed' in sent || allowed !== undefined)
    throw new Failure('usage', 'the account in the environment is invalid', {
      field: violations[0]?.path ?? baseUrlName,
      violations: violations.map(formatViolation),
      fix: () => 'orderctl help environment',
    })
  const { credential: _, ...settings } = profile ?? { name: environmentName }
  return {
    ...settings,
    kind: 'service',
    baseUrl: address.baseUrl,
    account: declared ?? profile?.account,
    auth: sent.auth,
    allowHttp: allowHttp || profile?.allowHttp === true,
    ...resolveKey(options, how, profile),
  }
}

type AccountKey = {
  /** Call it only when the key is needed, because it may run a program (at most once). */
  readonly getKey: () => Promise<string>
  /** Missing if a program has to run for the key. */
  readonly getKnownKey?: () => string
}

export const keyName = 'ORDERCTL_API_KEY'

const resolveKey = (options: AccountSettings, auth: string, profile: Partial<Profile> = {}): AccountKey => {
  const { environment, needsKey = true, runCommand, readStoredKey, onWarning } = options
  const { name = environmentName, baseUrl = '', credential } = profile
  const ofProfile = `the key of the profile ${name}`
  // An empty key counts as missing if no key is needed. Otherwise it is refused.
  const given = needsKey ? environment[keyName] : environment[keyName] || undefined
  if (given !== undefined) {
    const key = cleanKey(given, auth, keyName)
    if (credential !== undefined && needsKey) onWarning?.(`using ${keyName} instead of ${ofProfile}`)
    return createKnown(key)
  }
  if (credential === undefined) {
    const missing = createMissingFailure(name)
    if (needsKey) throw missing
    return { getKey: () => Promise.reject(missing) }
  }
  if (credential.kind === 'key') return createKnown(cleanKey(credential.key, auth, ofProfile))
  const read = async (): Promise<string> => {
    if (credential.kind === 'system')
      return cleanKey(await readStoredKey({ profile: name, baseUrl, id: credential.id }), auth, ofProfile)
    const printed = await runCommand(credential.command)
    return cleanKey(printed, auth, `the key that the command of ${name} printed`)
  }
  let reading: Promise<string> | undefined
  return {
    getKey: () => {
      reading ??= read()
      return reading
    },
  }
}

const createMissingFailure = (name: string): Failure =>
  name === environmentName
    ? new Failure('no-key', `${baseUrlName} is set, but ${keyName} is not`, {
        field: keyName,
        advice: `Set ${keyName}.`,
      })
    : new Failure('no-key', `the profile ${name} has no key`, {
        fix: (suggest) => suggest`profile set ${name} --key-stdin`,
        advice: `You can also set ${keyName}.`,
      })

const createKnown = (key: string): AccountKey => ({ getKey: async () => key, getKnownKey: () => key })

/** Removes surrounding space, which files and secret stores add. `source` begins the message. */
export const cleanKey = (text: string, auth: string, source: string): string => {
  const key = text.trim()
  const problem = findKeyProblem(key, auth)
  if (problem === undefined) return key
  throw new Failure('credentials', `${source} ${problem}`, { advice: 'Copy the complete key again.' })
}
