// The saved profiles of this machine, and the account that a command acts on, or whose journal it lists. Prints it.

import type { Context } from '../context.ts'
import { type AccountId, getAccountId, isSameAccount } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import { type Account, journalVariable, resolveAccount } from '../profiles/account.ts'
import { runCredentialCommand } from '../profiles/credential.ts'
import type { KeyItem } from '../profiles/key-store.ts'
import {
  environmentName,
  findProfilesFolder,
  mentionsJournal,
  openProfiles,
  type Profile,
  type Profiles,
} from '../profiles/store.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { themeFor } from '../ui/terminal/view.ts'
import { findJournalFile } from './journals.ts'
import { writeNote } from './terminal.ts'

export const profilesOf = (
  { environment, platform, home, stderr }: Context,
  onWarning = stderr.warn,
): Profiles =>
  openProfiles({ folder: findProfilesFolder({ environment, platform, home }), platform, onWarning })

/** An account of the environment needs no profiles: if they cannot be read, there are none. */
export const readProfiles = (context: Context): readonly Profile[] => {
  try {
    return profilesOf(context, () => {}).list()
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

export const findProfilesOf = (profiles: readonly Profile[], id: AccountId): readonly Profile[] =>
  profiles.filter(({ baseUrl, account }) => isSameAccount(id, getAccountId(baseUrl, account)))

type Machine = Pick<Context, 'environment' | 'platform' | 'home'>

/**
 * Whether the journal has orders of a real account. If no profile is saved, the profiles were lost. False if the journal
 * cannot be read: then create and confirm refuse to run anyway.
 */
const knowsServiceAccount = async (machine: Machine, leavesNoTrace = false): Promise<boolean> => {
  const file = findJournalFile(machine)
  if (file === undefined) return false
  const journal = await import('../journal/read-only.ts')
  try {
    return journal.hasServiceAccount(file, leavesNoTrace)
  } catch {
    return false
  }
}

/** The name of the profile in use; undefined if none is. Writes nothing. */
export const findProfileInUse = async (
  machine: Machine,
  profiles: Pick<Profiles, 'current'>,
): Promise<string | undefined> => {
  const current = profiles.current()
  return current?.isDefault && (await knowsServiceAccount(machine)) ? undefined : current?.name
}

/** Throws if the sandbox is the default although a different account was used before. */
export const refuseLostProfiles = async (context: Context, leavesNoTrace?: boolean): Promise<void> => {
  if (!(await knowsServiceAccount(context, leavesNoTrace))) return
  throw new Failure('no-account', 'no profile is saved, but the journal has orders of a different account', {
    advice: (suggest) =>
      `Set ORDERCTL_BASE_URL, or add a profile on a terminal: ${suggest`profile add --use`}. ` +
      `To use the sandbox: ${suggest`profile use sandbox`}`,
  })
}

export type SessionOptions = {
  readonly profile?: string | undefined
  /** Undefined: ORDERCTL_TIMEOUT, or the default of each call. */
  readonly timeout?: number | undefined
  readonly allowHttp: boolean
  readonly debug: boolean
  readonly json: boolean
  readonly quiet?: boolean
  readonly noInput?: boolean
}

type AccountNeeds = {
  readonly needsKey?: boolean
  readonly isChosenHere?: boolean
  /** The time limit of the credential command. */
  readonly commandMs?: number
  /** Default: prints it. */
  readonly onWarning?: (text: string) => void
}

export const accountOf = async (
  context: Context,
  { profile, allowHttp }: Pick<SessionOptions, 'profile' | 'allowHttp'>,
  { needsKey, isChosenHere, commandMs: timeoutMs, onWarning = context.stderr.warn }: AccountNeeds = {},
): Promise<Account> => {
  const { environment, clock, interrupted, spawn } = context
  let profiles: Profiles | undefined
  const account = resolveAccount({
    environment,
    profileName: profile,
    allowHttp,
    needsKey,
    isChosenHere,
    profiles: () => {
      profiles ??= profilesOf(context, onWarning)
      return profiles
    },
    runCommand: (line) => runCredentialCommand(line, { spawn, clock, interrupted, timeoutMs }),
    readStoredKey: (item) => readStoredKey(context, item, timeoutMs),
    onWarning,
  })
  // A command that sends nothing leaves no trace in the journal.
  if (account.kind === 'sandbox' && account.isDefault) await refuseLostProfiles(context, needsKey === false)
  if (account.kind === 'service' && account.name !== environmentName) context.suggest.addProfile(account.name)
  return account
}

/** For a command that sends nothing: a missing key or plain http does not matter. */
export const accountWithoutKey = (
  context: Context,
  profile: string | undefined,
  needs: Pick<AccountNeeds, 'onWarning'> = {},
): Promise<Account> => accountOf(context, { profile, allowHttp: true }, { ...needs, needsKey: false })

/** Undefined if no profile is in use, or the profile was removed. */
export const findAccountWithoutKey = (
  ...given: Parameters<typeof accountWithoutKey>
): Promise<Account | undefined> =>
  accountWithoutKey(...given).catch((error) => {
    if (error instanceof Failure) return undefined
    throw error
  })

/** Whether a command without --profile uses the sandbox. */
export const isSandboxInUse = async (context: Context): Promise<boolean> =>
  (await findAccountWithoutKey(context, undefined, { onWarning: () => {} }))?.kind === 'sandbox'

export const readStoredKey = async (context: Context, item: KeyItem, timeoutMs?: number): Promise<string> => {
  const { openKeyStore } = await import('../profiles/key-store.ts')
  return openKeyStore(context, timeoutMs).read(item)
}

/** A command that may spend prints first which account it uses. */
export const printAccount = (context: Pick<Context, 'stderr'>, account: Account): void =>
  writeNote(context, formatAccount(context, account))

/** For a prompt: `Using the profile shop: https://…`. */
export const formatAccount = ({ stderr }: Pick<Context, 'stderr'>, account: Account): string =>
  `${themeFor(stderr).quiet(`Using ${describeAccount(account)}`)}\n`

export const describeAccount = (account: Account): string => {
  if (account.kind === 'sandbox') return 'the sandbox: no real money'
  const { name, baseUrl, account: declared } = account
  const who = name === environmentName ? 'the environment' : `the profile ${name}`
  const which = declared === undefined ? '' : `, account ${declared}`
  return sanitize(`${who}: ${baseUrl}${which}`)
}

/**
 * The account whose journal is listed. A removed profile has none, but its orders are still in the journal. Also
 * undefined without shared journals, because then every account has the same one, and loading the profiles takes longer.
 */
export const findListedAccount = async (
  context: Context,
  profile: string | undefined,
): Promise<Account | undefined> => {
  const isShared = context.environment[journalVariable] !== undefined || mentionsJournal(context)
  return isShared ? findAccountWithoutKey(context, profile) : undefined
}
