// Which account a call acts on: flag over environment over profile. What could be read two ways is refused, for
// a key must not go to another account's host, and an order not to the sandbox in place of the service.

import { type Auth, defaultAuth, maskedAuth, parseAuth } from '../contract/auth.ts'
import { maskedBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { type Violation, violationAt, violationText } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import { cleanKey } from './key.ts'
import { environmentName, type Profile, sandbox } from './profile.ts'
import { type Profiles, unknownProfile } from './store.ts'

type ServiceAccount = {
  readonly kind: 'service'
  /** The profile's name, or 'environment'. */
  readonly name: string
  readonly baseUrl: string
  readonly auth: Auth
  readonly allowHttp: boolean
  readonly wallet?: string
  /** Declared, if the address serves several accounts. */
  readonly account?: string
  /** The file of what it sells. */
  readonly products?: string
  /** Where the key comes from. */
  readonly source: 'environment' | 'profile' | 'command'
  /** Asked for when it is needed; a command is run once at most. */
  readonly key: () => Promise<string>
}

export type Account = { readonly kind: 'sandbox'; readonly name: 'sandbox' } | ServiceAccount

export type AccountOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** As `--profile` has it. */
  readonly profileName?: string | undefined
  /** As `--allow-http` has it. */
  readonly allowHttp?: boolean | undefined
  /** Where nothing will be sent, an account whose key is missing will do. */
  readonly needsKey?: boolean | undefined
  /** Called where they are needed: the environment alone needs no folder. */
  readonly profiles: () => Pick<Profiles, 'get' | 'current' | 'list'>
  readonly runCommand: (command: string) => Promise<string>
}

const baseUrlName = 'ORDERCTL_BASE_URL'
const keyName = 'ORDERCTL_API_KEY'
const authName = 'ORDERCTL_AUTH'
const profileVariable = 'ORDERCTL_PROFILE'

const sandboxAccount: Account = { kind: 'sandbox', name: sandbox }

export const resolveAccount = (options: AccountOptions): Account => {
  const { environment, profileName, profiles } = options
  const isSet = (name: string): boolean => environment[name] !== undefined
  // A whole account in the environment is another than the one that was asked for: nothing of it is mixed in.
  if (profileName !== undefined) {
    return named(profileName, isSet(baseUrlName) ? { ...options, environment: {} } : options)
  }
  refuseEmpty(options)
  const chosen = environment[profileVariable]
  if (isSet(baseUrlName)) {
    if (chosen !== undefined) throw contradiction(profileVariable, baseUrlName)
    return fromEnvironment(options)
  }
  const loose = [keyName, authName].find(isSet)
  if (chosen !== undefined) {
    if (chosen === sandbox && loose !== undefined) throw contradiction(loose, profileVariable)
    return named(chosen, options, profileVariable)
  }
  if (loose === undefined) return named(profiles().current(), options)
  throw new Failure('usage', `${loose} is set, but not the account that it belongs to`, {
    field: loose,
    fix: `Set ${baseUrlName} too, or name a profile with --profile or ${profileVariable}, or unset ${loose}.`,
  })
}

// A secret that a pipeline was not given arrives as an empty variable: on no account may that mean the sandbox.
const refuseEmpty = ({ environment, needsKey = true }: AccountOptions): void => {
  const all = [baseUrlName, authName, profileVariable, ...(needsKey ? [keyName] : [])]
  const empty = all.find((name) => environment[name] === '')
  if (empty === undefined) return
  throw new Failure(empty === keyName ? 'credentials' : 'usage', `${empty} is set, but empty`, {
    field: empty,
    fix: `Give it a value, or unset it.`,
  })
}

const contradiction = (one: string, other: string): Failure =>
  new Failure('usage', `${one} and ${other} name different accounts`, {
    field: one,
    fix: `Unset ${one} or ${other}.`,
  })

const named = (name: string, options: AccountOptions, field?: string): Account => {
  if (name === sandbox) return sandboxAccount
  const profiles = options.profiles()
  const profile = profiles.get(name)
  if (profile === undefined) throw unknownProfile(name, profiles.list(), field)
  return fromProfile(profile, options)
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
  if (violations.length > 0 || 'problems' in address) throw unusable(violations)
  const key = keyGiven(options)
  const missing = (): Failure =>
    new Failure('credentials', `${baseUrlName} is set, but no key for it`, {
      field: keyName,
      fix: `Set ${keyName}.`,
    })
  return {
    kind: 'service',
    name: environmentName,
    baseUrl: address.baseUrl,
    auth,
    allowHttp,
    source: 'environment',
    key: key === undefined ? absent(options, missing) : kept(cleanKey(key, auth, keyName)),
  }
}

/** An empty one is none where none is needed; else it was refused. */
const keyGiven = ({ environment, needsKey = true }: AccountOptions): string | undefined =>
  needsKey ? environment[keyName] : environment[keyName] || undefined

const kept = (key: string) => async () => key

const absent = ({ needsKey = true }: AccountOptions, missing: () => Failure) => {
  if (needsKey) throw missing()
  return async (): Promise<never> => {
    throw missing()
  }
}

const fromProfile = (profile: Profile, options: AccountOptions): ServiceAccount => {
  const violations: Violation[] = []
  const auth = authOf(options.environment, profile.auth, violations)
  if (violations.length > 0) throw unusable(violations)
  return {
    kind: 'service',
    name: profile.name,
    baseUrl: profile.baseUrl,
    auth,
    allowHttp: options.allowHttp === true || profile.allowHttp === true,
    ...(profile.wallet === undefined ? {} : { wallet: profile.wallet }),
    ...(profile.products === undefined ? {} : { products: profile.products }),
    ...keyOf(profile, auth, options),
  }
}

const keyOf = (
  { name, credential }: Profile,
  auth: Auth,
  options: AccountOptions,
): Pick<ServiceAccount, 'source' | 'key'> => {
  const given = keyGiven(options)
  if (given !== undefined) return { source: 'environment', key: kept(cleanKey(given, auth, keyName)) }
  if (credential === undefined) {
    const missing = (): Failure =>
      new Failure('credentials', `the profile ${name} has no key`, {
        fix: `Set ${keyName}, or give it one: orderctl profile add ${name} --replace`,
      })
    return { source: 'profile', key: absent(options, missing) }
  }
  if (credential.kind === 'key') {
    return { source: 'profile', key: kept(cleanKey(credential.key, auth, `the key of the profile ${name}`)) }
  }
  const { runCommand } = options
  let running: Promise<string> | undefined
  const run = async () =>
    cleanKey(await runCommand(credential.command), auth, `the key that the command of ${name} printed`)
  return {
    source: 'command',
    key: () => {
      running ??= run()
      return running
    },
  }
}

const authOf = (
  environment: AccountOptions['environment'],
  otherwise: Auth,
  violations: Violation[],
): Auth => {
  const text = environment[authName]
  if (text === undefined) return otherwise
  const read = parseAuth(text)
  if ('auth' in read) return read.auth
  violations.push(wrong(authName, maskedAuth(text), read.allowed))
  return otherwise
}

const wrong = (name: string, given: string, allowed: string): Violation =>
  violationAt({ [name]: given }, [name], allowed)

const unusable = (violations: readonly Violation[]): Failure =>
  new Failure('usage', 'the environment names no account that can be used', {
    field: violations[0]?.path ?? baseUrlName,
    violations: violations.map(violationText),
  })
