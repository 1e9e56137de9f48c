// Finds the key of an account: in the environment, in the profile, in the system's credential store, or in the output of
// the profile's command.
import type { Auth } from '../contract/auth.ts'
import { Failure } from '../errors.ts'
import { cleanKey } from './key.ts'
import type { KeyItem } from './key-tools.ts'
import type { Profile } from './profile.ts'

export type AccountKey = {
  /** Call it only when the key is needed, because it may run a program (at most once). */
  readonly getKey: () => Promise<string>
  /** Missing if a program has to run for the key. */
  readonly getKnownKey?: () => string
}

export type KeyOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** False if nothing will be sent, so that a missing key does not matter. */
  readonly needsKey?: boolean | undefined
  readonly runCommand: (command: string) => Promise<string>
  /** Reads the system's credential store. */
  readonly readStoredKey: (item: KeyItem) => Promise<string>
  readonly onWarning?: (text: string) => void
}

export const keyName = 'ORDERCTL_API_KEY'

export const resolveEnvironmentKey = (auth: Auth, options: KeyOptions): AccountKey => {
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

export const resolveProfileKey = (
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
        fix: (suggest) => `Set ${keyName}, or add a key to the profile: ${suggest`profile set-key ${name}`}`,
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
