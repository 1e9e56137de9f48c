// Finds the account that a command acts on, and prints it.
import type { Context } from '../../context.ts'
import { type Account, resolveAccount } from '../../profiles/account.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import type { KeyItem } from '../../profiles/key-tools.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/view.ts'
import { writeNote } from './notes.ts'
import type { SessionOptions } from './options.ts'
import { profilesOf, refuseLostProfiles } from './profiles.ts'

type AccountNeeds = {
  readonly needsKey?: boolean
  readonly isChosenHere?: boolean
  /** Of the credential command. */
  readonly commandMs?: number
}

export const accountOf = async (
  context: Context,
  { profile, allowHttp }: Pick<SessionOptions, 'profile' | 'allowHttp'>,
  { needsKey, isChosenHere, commandMs: timeoutMs }: AccountNeeds = {},
): Promise<Account> => {
  const { environment, clock, interrupted, spawn, stderr } = context
  let profiles: Profiles | undefined
  const account = resolveAccount({
    environment,
    profileName: profile,
    allowHttp,
    needsKey,
    isChosenHere,
    profiles: () => {
      profiles ??= profilesOf(context)
      return profiles
    },
    runCommand: (line) => runCredentialCommand(line, { spawn, clock, interrupted, timeoutMs }),
    readStoredKey: (item) => readStoredKey(context, item, timeoutMs),
    onWarning: (text) => stderr.warn(`${text}`),
  })
  if (account.kind === 'sandbox' && account.isDefault) await refuseLostProfiles(context)
  if (account.kind === 'service' && account.name !== environmentName) context.suggest.addProfile(account.name)
  return account
}

export const readStoredKey = async (context: Context, item: KeyItem, timeoutMs?: number): Promise<string> => {
  const { openKeyStore } = await import('../../profiles/key-store.ts')
  return openKeyStore(context, timeoutMs).read(item)
}

/** A command that may spend prints first which account it uses. */
export const printAccount = (context: Pick<Context, 'stderr'>, account: Account): void =>
  writeNote(context, formatAccount(context, account))

/** For a prompt: `Using the profile shop: https://…`. */
export const formatAccount = ({ stderr }: Pick<Context, 'stderr'>, account: Account): string =>
  `${themeFor(stderr).quiet(accountText(account))}\n`

const accountText = (account: Account): string => {
  if (account.kind === 'sandbox') return 'Using the sandbox: no real money'
  const { name, baseUrl, account: declared } = account
  const who = name === environmentName ? 'the environment' : `the profile ${name}`
  return sanitize(`Using ${who}: ${baseUrl}${declared === undefined ? '' : `, account ${declared}`}`)
}
