// The key of an account: from the environment, from the profile, or from the command that the profile names.
import type { Auth } from '../contract/auth.ts'
import { Failure } from '../errors.ts'
import { cleanKey } from './key.ts'
import type { Profile } from './profile.ts'

export type AccountKey = {
  /** Where the key comes from. */
  readonly source: 'environment' | 'profile' | 'command'
  /** Call it when the key is needed. A command runs once at most. */
  readonly key: () => Promise<string>
}

type Options = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly needsKey?: boolean | undefined
  readonly runCommand: (command: string) => Promise<string>
  readonly onWarning?: (text: string) => void
}

const keyName = 'ORDERCTL_API_KEY'

export const environmentKey = (auth: Auth, options: Options): AccountKey => {
  const key = givenKey(options)
  const missing = (): Failure =>
    new Failure('credentials', 'ORDERCTL_BASE_URL is set, but no key for it', {
      field: keyName,
      fix: `Set ${keyName}.`,
    })
  return {
    source: 'environment',
    key: key === undefined ? absent(options, missing) : kept(cleanKey(key, auth, keyName)),
  }
}

export const profileKey = ({ name, credential }: Profile, auth: Auth, options: Options): AccountKey => {
  const given = givenKey(options)
  if (given !== undefined) {
    const key = cleanKey(given, auth, keyName)
    if (credential !== undefined && options.needsKey !== false)
      options.onWarning?.(`using ${keyName} instead of the key of the profile ${name}`)
    return { source: 'environment', key: kept(key) }
  }
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
  let running: Promise<string> | undefined
  const run = async (): Promise<string> =>
    cleanKey(
      await options.runCommand(credential.command),
      auth,
      `the key that the command of ${name} printed`,
    )
  return {
    source: 'command',
    key: () => {
      running ??= run()
      return running
    },
  }
}

/** An empty key counts as missing if no key is needed; otherwise it is refused. */
const givenKey = ({ environment, needsKey = true }: Options): string | undefined =>
  needsKey ? environment[keyName] : environment[keyName] || undefined

const kept = (key: string) => async () => key

const absent = ({ needsKey = true }: Options, missing: () => Failure) => {
  if (needsKey) throw missing()
  return async (): Promise<never> => {
    throw missing()
  }
}
