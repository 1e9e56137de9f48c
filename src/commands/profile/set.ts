// orderctl profile set: changes single settings of a profile, or its key. The others stay.
import type { Context } from '../../context.ts'
import { formatAuth } from '../../contract/auth.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Credential, Profile, ProfileInput } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { canPrompt } from '../shared/options.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { profilesOf } from '../shared/profiles.ts'
import {
  createMissingFailure,
  definedOf,
  type GivenProfile,
  keyFlagNames,
  readGiven,
  validate,
  warnOfLeftJournal,
} from './given-profile.ts'
import {
  hasKey,
  keepCredential,
  readCredential,
  readPresentKey,
  removeOldKey,
  requireKey,
  saveWithKey,
} from './key.ts'
import { printRow, rowOf } from './run.ts'
import type { SetOptions } from './spec.ts'

/** Returns the exit code. Without a setting, it prompts for all of them on a terminal. */
export const setProfile = async (context: Context, options: SetOptions): Promise<number> => {
  const { name, json, keyStore } = options
  const profiles = profilesOf(context)
  const present = profiles.get(name)
  if (present === undefined) throw createUnknownProfileFailure(name, profiles.list())
  const changed = await findChange(context, present, options)
  const place = keyStore ?? rowOf(present, undefined).keyStore
  const { profile, reason } = await saveWithKey(context, changed, place, (saved) =>
    profiles.update(name, saved),
  )
  if (profile.credential !== present.credential) await removeOldKey(context, present)
  await printRow(context, rowOf(profile, profiles.current()?.name), { json }, reason)
  warnOfLeftJournal(context, present, options)
  return exitCodes.ok.code
}

const findChange = async (context: Context, present: Profile, options: SetOptions): Promise<Profile> => {
  const given = readGiven(context, options)
  const isGiven = Object.keys(definedOf(given)).length > 0 || options.journal !== undefined
  const journals = options.journal === undefined ? journalsOf(present) : journalsOf(given)
  if (isGiven || hasKey(options) || options.keyStore !== undefined) {
    const profile = validate(joinSettings(present, given), 'profile set')
    if (given.products) await readProductFile(context, given.products)
    const cleared = { account: undefined, wallet: undefined, products: undefined }
    return {
      ...cleared,
      ...profile,
      ...journals,
      credential: await findCredential(context, present, profile, options),
    }
  }
  if (options.json || !canPrompt(context, options))
    throw createMissingFailure('a setting, such as --wallet,', 'profile set')
  const { askForProfile } = await import('./prompts.ts')
  return { ...(await askForProfile(context, { given, options, present })), ...journals }
}

/** The journal of a profile, and how it is opened. */
const journalsOf = ({
  journal,
  journalPasswordCommand,
  lastJournal,
}: Pick<Profile, 'journal' | 'journalPasswordCommand' | 'lastJournal'>) => ({
  journal,
  journalPasswordCommand,
  lastJournal,
})

/** An empty account, wallet or product file is removed. */
const joinSettings = (present: Profile, given: GivenProfile): ProfileInput => {
  const { auth, credential: _, ...kept } = present
  const all = { ...kept, auth: formatAuth(auth), ...definedOf(given) }
  const { account, wallet, products } = all
  return {
    ...all,
    account: account || undefined,
    wallet: wallet || undefined,
    products: products || undefined,
  }
}

const findCredential = async (
  context: Context,
  present: Profile,
  profile: Profile,
  options: SetOptions,
): Promise<Credential | undefined> => {
  if (hasKey(options)) return readCredential(context, profile, options)
  const asks = !options.json && canPrompt(context, options)
  if (options.keyStore !== undefined) {
    try {
      return await readPresentKey(context, present)
    } catch (error) {
      if (!asks || !(error instanceof Failure) || error.kind !== 'credentials') throw error
      context.stderr.warn(sanitize(error.message))
      return requireKey(context, profile)
    }
  }
  if (present.credential === undefined) return undefined
  const kept = await keepCredential(context, present, profile)
  if (kept !== undefined) return kept
  if (asks) return requireKey(context, profile)
  throw new Failure('usage', '--base-url names another host, so the key of this host is needed', {
    field: '--base-url',
    fix: `Add ${keyFlagNames}.`,
  })
}
