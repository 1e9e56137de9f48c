// Describes a service's account, as the environment or a profile defines it. Finds its key. Settings of the environment
// override those of the profile.
import { type Auth, defaultAuth, findKeyProblem, maskAuth, parseAuth } from '../contract/auth.ts'
import { maskBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { createViolation, formatViolation, type Violation } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import type { KeyItem } from './key-tools.ts'
import { environmentName, findAccountNameProblem, type Profile } from './profile.ts'

/** The name is that of the profile, or 'environment'. */
export type ServiceAccount = AccountKey &
  Omit<Profile, 'credential' | 'allowHttp' | 'auth'> & {
    readonly kind: 'service'
    readonly auth: Auth
    readonly allowHttp: boolean
  }

export type AccountSettings = {
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
