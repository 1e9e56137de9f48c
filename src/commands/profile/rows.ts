// The profiles as commands print them, and the account that a command would use. It never has a key, nor a credential
// command, which may hold a key. Nothing is sent, and no key is read.

import { accountOf } from '../../app/account.ts'
import { findProfileInUse, profilesOf } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { formatAuth } from '../../contract/auth.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { type Credential, type Profile, sandbox } from '../../profiles/profile.ts'
import { baseUrlName, keyName } from '../../profiles/service-account.ts'
import type { ProfileRow, Selector } from './screen.ts'
import type { ListOptions } from './spec.ts'

type Rows = {
  readonly rows: readonly ProfileRow[]
  readonly saved: readonly Profile[]
  /** The account that a command would use. */
  readonly used?: ProfileRow
  /** Why a command would fail, except that no profile is in use. */
  readonly failure?: Failure
}

export const readRows = async (
  context: Context,
  { profile }: Pick<ListOptions, 'profile'>,
): Promise<Rows> => {
  const profiles = profilesOf(context)
  const saved = profiles.list()
  const rows = [builtIn, ...saved.map((each) => rowOf(each, undefined))]
  const selector = findSelector(context, profile)
  try {
    const account = await findAccount(context, profile)
    const row = rows.find(({ name }) => name === account.name)
    const used = {
      ...describeAccount(account, row, context),
      current: true,
      selectedBy: selector ?? findDefault(account),
    }
    return { rows: row === undefined ? [...rows, used] : rows.with(rows.indexOf(row), used), saved, used }
  } catch (error) {
    if (!(error instanceof Failure) || profile !== undefined) throw error
    const isNoneInUse = selector === undefined && (await findProfileInUse(context, profiles)) === undefined
    return { rows, saved, ...(isNoneInUse && error.details.field === undefined ? {} : { failure: error }) }
  }
}

const builtIn: ProfileRow = { name: sandbox, current: false, builtIn: true, credential: 'none needed' }

/** Undefined if neither a flag nor a variable selects an account. In the order of `resolveAccount`. */
export const findSelector = (
  { environment }: Pick<Context, 'environment'>,
  profile?: string,
): Selector | undefined => {
  if (profile !== undefined) return '--profile'
  return (['ORDERCTL_PROFILE', baseUrlName] as const).find((name) => environment[name] !== undefined)
}

const findDefault = (account: Account): Selector =>
  account.kind === 'sandbox' && account.isDefault ? 'default' : 'profile use'

/** Without a key, it is still the account that a command would name. */
const findAccount = async (context: Context, profile: string | undefined): Promise<Account> => {
  // The row says which key is used.
  const quiet = { onWarning: () => {} }
  try {
    return await accountOf(context, { profile, allowHttp: false }, quiet)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'credentials') throw error
    return accountOf(context, { profile, allowHttp: false }, { ...quiet, needsKey: false })
  }
}

/** Variables override the settings of a profile, unless they belong to a different account. */
const describeAccount = (
  account: Account,
  row: ProfileRow | undefined,
  { environment }: Context,
): ProfileRow => {
  if (account.kind === 'sandbox') return builtIn
  const { name, baseUrl, account: declared, auth } = account
  const isByVariable =
    environment[keyName] !== undefined && account.getKnownKey?.() === environment[keyName].trim()
  return {
    ...(row ?? { name, builtIn: false, credential: `none: ${keyName} is not set` }),
    ...{ current: true, baseUrl, account: declared, auth: formatAuth(auth) },
    ...(isByVariable ? { credential: `key, in ${keyName}`, keyStore: undefined } : {}),
  }
}

export const rowOf = (
  { credential, journalPasswordCommand, allowHttp: _, ...settings }: Profile,
  current: string | undefined,
): ProfileRow => ({
  ...settings,
  current: settings.name === current,
  builtIn: false,
  ...(credential === undefined ? { credential: 'none' } : credentials[credential.kind]),
  journalCredential: journalPasswordCommand === undefined ? undefined : runCommand,
})

const runCommand = 'command, run when needed'

const credentials: Readonly<Record<Credential['kind'], Pick<ProfileRow, 'credential' | 'keyStore'>>> = {
  key: { credential: 'key, in profiles.json', keyStore: 'file' },
  system: { credential: 'key, in the credential store', keyStore: 'system' },
  command: { credential: runCommand },
}
