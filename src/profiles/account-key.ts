// Finds the key of an account: in the environment, in the profile, or in the output of the profile's command.
import type { Auth } from '../contract/auth.ts'
import { Failure } from '../errors.ts'
import { cleanKey } from './key.ts'
import type { Profile } from './profile.ts'

export type AccountKey = {
  readonly source: 'environment' | 'profile' | 'command'
  /** Call it only when the key is needed, because it may run a command (at most once). */
  readonly getKey: () => Promise<string>
}

type Options = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly needsKey?: boolean | undefined
  readonly runCommand: (command: string) => Promise<string>
  readonly onWarning?: (text: string) => void
}

export const keyName = 'ORDERCTL_API_KEY'

export const resolveEnvironmentKey = (auth: Auth, options: Options): AccountKey => {
  const key = readKeyVariable(options)
  const missing = (): Failure =>
    new Failure('credentials', `ORDERCTL_BASE_URL is set, but ${keyName} is not`, {
      field: keyName,
      fix: `Set ${keyName}.`,
    })
  return {
    source: 'environment',
    getKey: key === undefined ? refuseMissingKey(options, missing) : returnKey(cleanKey(key, auth, keyName)),
  }
}

export const resolveProfileKey = (
  { name, credential }: Profile,
  auth: Auth,
  options: Options,
): AccountKey => {
  const given = readKeyVariable(options)
  if (given !== undefined) {
    const key = cleanKey(given, auth, keyName)
    if (credential !== undefined && options.needsKey !== false)
      options.onWarning?.(`using ${keyName} instead of the key of the profile ${name}`)
    return { source: 'environment', getKey: returnKey(key) }
  }
  if (credential === undefined) {
    const missing = (): Failure =>
      new Failure('credentials', `the profile ${name} has no key`, {
        fix: `Set ${keyName}, or add a key to the profile: orderctl profile add ${name} --replace`,
      })
    return { source: 'profile', getKey: refuseMissingKey(options, missing) }
  }
  if (credential.kind === 'key') {
    return {
      source: 'profile',
      getKey: returnKey(cleanKey(credential.key, auth, `the key of the profile ${name}`)),
    }
  }
  let running: Promise<string> | undefined
  const run = async (): Promise<string> =>
    cleanKey(
      await options.runCommand(credential.command),
      auth,
      `the key that the command of ${name} printed`,
    )
  return {
    source: 'command',
    getKey: () => {
      running ??= run()
      return running
    },
  }
}

/** An empty key counts as missing if no key is needed. Otherwise it is refused. */
const readKeyVariable = ({ environment, needsKey = true }: Options): string | undefined =>
  needsKey ? environment[keyName] : environment[keyName] || undefined

const returnKey = (key: string) => async () => key

const refuseMissingKey = ({ needsKey = true }: Options, missing: () => Failure) => {
  if (needsKey) throw missing()
  return async (): Promise<never> => {
    throw missing()
  }
}
