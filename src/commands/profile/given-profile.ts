// What the flags of profile add give: read, checked and saved.
import type { Context } from '../../context.ts'
import { defaultAuth, formatAuth } from '../../contract/auth.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { type Credential, checkProfile, type Profile, type ProfileInput } from '../../profiles/profile.ts'
import { cleanKey } from '../../profiles/service-account.ts'
import type { Profiles } from '../../profiles/store.ts'
import type { Suggest } from '../../text/suggest.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { readInput } from '../shared/read-input.ts'
import { type KeyedProfile, removeOldKey, saveWithKey } from './key-place.ts'
import { printRow, rowOf } from './rows.ts'
import { type AddOptions, type KeyOptions, localJournal } from './spec.ts'

/** A profile as far as the flags give it. */
export type GivenProfile = Omit<ProfileInput, 'name' | 'baseUrl'> & {
  readonly baseUrl: string | undefined
}

export const readGiven = (context: Context, options: AddOptions): GivenProfile => {
  const { baseUrl, account, wallet, products, auth, allowHttp, journalPasswordCommand } = options
  return {
    baseUrl,
    account,
    wallet,
    products,
    auth,
    allowHttp,
    journal: readJournal(context, options),
    journalPasswordCommand,
  }
}

export const hasKey = ({ keyStdin, keyFile, credentialCommand }: KeyOptions): boolean =>
  keyStdin || keyFile !== undefined || credentialCommand !== undefined

export const isTaken = (profiles: Profiles, name: string, { replace }: AddOptions): boolean =>
  !replace && profiles.get(name) !== undefined

/** Also prints the profile. */
export const saveProfile = async (
  context: Context,
  profiles: Profiles,
  given: KeyedProfile,
  options: AddOptions,
): Promise<void> => {
  const { name } = given
  const replaced = profiles.get(name)
  const complete = options.journal === undefined ? keepJournal(given, replaced) : given
  const { profile, reason } = await saveWithKey(context, complete, options.keyStore, (saved) =>
    profiles.add(saved, { replace: options.replace }),
  )
  if (options.use) await profiles.use(name)
  await removeOldKey(context, replaced)
  await printRow(context, rowOf(profile, profiles.current()?.name), options, reason)
  if (replaced !== undefined)
    context.stderr.write(formatLostSettings(replaced, profile, options, context.suggest))
  const left = replaced?.journal ?? replaced?.lastJournal
  if (options.journal === localJournal && left !== undefined) {
    context.stderr.write(
      `warning: the profile ${name} now uses the journal of this machine, which does not know the orders in ${left}\n`,
    )
  }
}

/** Another journal would not know the orders of the profile, and could not prevent a second purchase. */
const keepJournal = (given: KeyedProfile, replaced: Profile | undefined): KeyedProfile => {
  const { journal, journalPasswordCommand, lastJournal } = replaced ?? {}
  return { ...given, journal, journalPasswordCommand, lastJournal }
}

/** The canonical address, so that `profile show` and messages never have two spellings. */
const readJournal = (context: Context, { journal }: AddOptions): string | undefined =>
  journal === undefined || journal === localJournal ? undefined : parseJournalAddress(context, journal).text

const flagNames: Readonly<Record<string, string>> = {
  name: 'the name',
  baseUrl: '--base-url',
  account: '--account',
  wallet: '--wallet',
  auth: '--auth',
}

export const validate = (input: ProfileInput): Profile => {
  const result = checkProfile(input)
  if ('profile' in result) return result.profile
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map((each) =>
      formatViolation({ ...each, path: flagNames[each.path] ?? each.path }),
    ),
    fix: 'orderctl profile add --help',
  })
}

/** The credential that the flags give. */
export const readCredential = async (
  context: Context,
  { auth }: Pick<Profile, 'auth'>,
  { keyFile = '-', credentialCommand }: KeyOptions,
): Promise<Credential> => {
  if (credentialCommand !== undefined) return { kind: 'command', command: credentialCommand }
  const key = new TextDecoder().decode(await readInput(context, keyFile, 'the key'))
  return { kind: 'key', key: cleanKey(key, auth, 'the key') }
}

export const createMissingKeyFailure = (command: string): Failure =>
  createMissingFailure('--key-stdin, --key-file or --credential-command', command)

export const createMissingFailure = (flag: string, command: string): Failure =>
  new Failure('usage', `${flag} is missing`, { field: flag, fix: `orderctl ${command} --help` })

/** A warning that names the lost settings as flags. An empty text if nothing is lost. */
const formatLostSettings = (
  replaced: Profile,
  { name }: Pick<Profile, 'name'>,
  given: AddOptions,
  suggest: Suggest,
): string => {
  const lost = listSettings(replaced).filter(([flag]) => given[flag] === undefined)
  if (lost.length === 0) return ''
  const flags = suggest.flags(Object.fromEntries(lost))
  return `warning: the profile ${name} no longer has ${flags}. To keep a setting, replace the profile again with its flag.\n`
}

type Setting = 'account' | 'auth' | 'wallet' | 'products'

/** Those that differ from the defaults. */
const listSettings = ({ account, auth, wallet, products }: Profile): [Setting, string][] => {
  const sentAs = formatAuth(auth)
  const settings: [Setting, string | undefined][] = [
    ['account', account],
    ['auth', sentAs === formatAuth(defaultAuth) ? undefined : sentAs],
    ['wallet', wallet],
    ['products', products],
  ]
  return settings.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]]))
}
