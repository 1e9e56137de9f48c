// The settings that the flags of profile add and profile set give, and the profile that they make.
import type { Context } from '../../context.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { checkProfile, type Profile, type ProfileInput } from '../../profiles/profile.ts'
import { parseJournalAddress } from '../shared/journal/place.ts'
import { flagName } from '../shared/spec.ts'
import { localJournal, type SettingOptions } from './spec.ts'

/** Only what the flags give. */
export type GivenProfile = Partial<Omit<ProfileInput, 'name'>>

export const readGiven = (context: Context, options: SettingOptions): GivenProfile => {
  const { baseUrl, account, wallet, products, auth, journal, journalPasswordCommand } = options
  const allowHttp = options.allowHttp || undefined
  const settings = { baseUrl, account, wallet, products, auth, allowHttp, journalPasswordCommand }
  // The canonical address, so that `profile show` and messages never have two spellings.
  const isShared = journal !== undefined && journal !== localJournal
  const all = { ...settings, journal: isShared ? parseJournalAddress(context, journal).text : undefined }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Throws all violations. `command` is `profile add`, for example. */
export const validate = (input: ProfileInput, command: string): Profile => {
  const result = checkProfile(input)
  if ('profile' in result) return result.profile
  const nameOf = (field: string): string => {
    if (field === 'name') return 'the name'
    return ['baseUrl', 'account', 'wallet', 'auth'].includes(field) ? flagName(field) : field
  }
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map((each) => formatViolation({ ...each, path: nameOf(each.path) })),
    fix: `orderctl ${command} --help`,
  })
}

/** Another journal would not know the orders of the profile, and could not prevent a second purchase. */
export const keepJournal = (
  profile: Profile,
  { journal, journalPasswordCommand, lastJournal }: Omit<GivenProfile, 'auth'> = {},
): Profile => ({ ...profile, journal, journalPasswordCommand, lastJournal })
