// The settings that the flags of profile add and profile set give, and the profile that they make.
import type { Context } from '../../context.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { checkProfile, type Profile, type ProfileInput } from '../../profiles/profile.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { localJournal, type SettingOptions } from './spec.ts'

/** A profile as far as the flags give it. */
export type GivenProfile = Omit<ProfileInput, 'name' | 'baseUrl' | 'lastJournal'> & {
  readonly baseUrl?: string | undefined
}

export const readGiven = (context: Context, options: SettingOptions): GivenProfile => {
  const { baseUrl, account, wallet, products, auth, allowHttp, journal, journalPasswordCommand } = options
  // The canonical address, so that `profile show` and messages never have two spellings.
  const address =
    journal === undefined || journal === localJournal ? undefined : parseJournalAddress(context, journal).text
  return {
    baseUrl,
    account,
    wallet,
    products,
    auth,
    allowHttp: allowHttp || undefined,
    journal: address,
    journalPasswordCommand,
  }
}

const flagNames: Readonly<Record<string, string>> = {
  name: 'the name',
  baseUrl: '--base-url',
  account: '--account',
  wallet: '--wallet',
  auth: '--auth',
}

/** Throws all violations. `command` is `profile add`, for example. */
export const validate = (input: ProfileInput, command: string): Profile => {
  const result = checkProfile(input)
  if ('profile' in result) return result.profile
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map((each) =>
      formatViolation({ ...each, path: flagNames[each.path] ?? each.path }),
    ),
    fix: `orderctl ${command} --help`,
  })
}

export const definedOf = (given: GivenProfile): Partial<GivenProfile> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

export const createMissingFailure = (flag: string, command: string): Failure =>
  new Failure('usage', `${flag} is missing`, { field: flag, fix: `orderctl ${command} --help` })

export const keyFlagNames = '--key-stdin, --key-file or --credential-command'

/** The journal of this machine does not know the orders of the shared journal that the profile used. */
export const warnOfLeftJournal = (
  { stderr }: Context,
  { name, journal, lastJournal }: Profile,
  given: SettingOptions,
): void => {
  const left = journal ?? lastJournal
  if (given.journal !== localJournal || left === undefined) return
  stderr.warn(
    `the profile ${name} now uses the journal of this machine, which does not know the orders in ${left}`,
  )
}
