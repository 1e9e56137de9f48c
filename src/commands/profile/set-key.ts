// orderctl profile set-key: replaces the key of a profile, or moves it. The other settings stay.
import type { Context } from '../../context.ts'
import { Failure, interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findKeyItem } from '../../profiles/key-store.ts'
import type { Credential, Profile } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { readStoredKey } from '../shared/account.ts'
import { canPrompt } from '../shared/options.ts'
import { profilesOf } from '../shared/profiles.ts'
import { askForKey } from './ask-for-profile.ts'
import { createMissingKeyFailure, hasKey, readCredential } from './given-profile.ts'
import { removeOldKey, saveWithKey } from './key-place.ts'
import { printRow, rowOf } from './rows.ts'
import type { SetKeyOptions } from './spec.ts'

/** Returns the exit code. */
export const setKey = async (context: Context, options: SetKeyOptions): Promise<number> => {
  const { name, keyStore } = options
  const profiles = profilesOf(context)
  const replaced = profiles.get(name)
  if (replaced === undefined) throw createUnknownProfileFailure(name, profiles.list())
  const credential = await findCredential(context, replaced, options)
  const place = keyStore ?? rowOf(replaced, undefined).keyStore
  const { profile, reason } = await saveWithKey(context, { ...replaced, credential }, place, (saved) =>
    profiles.update(name, { credential: saved.credential }),
  )
  await removeOldKey(context, replaced)
  await printRow(context, rowOf(profile, profiles.current()?.name), options, reason)
  return exitCodes.ok.code
}

/** With --key-store alone, the present key if it can be read. */
const findCredential = async (
  context: Context,
  profile: Profile,
  options: SetKeyOptions,
): Promise<Credential> => {
  if (hasKey(options)) return readCredential(context, profile, options)
  const asks = !options.json && canPrompt(context, options)
  if (options.keyStore !== undefined) {
    try {
      return await readPresentKey(context, profile)
    } catch (error) {
      if (!asks || !(error instanceof Failure) || error.kind !== 'credentials') throw error
      context.stderr.write(`warning: ${sanitize(error.message)}\n`)
    }
  }
  if (!asks) throw createMissingKeyFailure('profile set-key')
  const asked = await askForKey(context, await context.asking(), profile)
  if (asked === undefined) throw interruption(context.interrupted, 'cancelled; the key was not changed')
  return asked
}

const readPresentKey = async (context: Context, profile: Profile): Promise<Credential> => {
  if (profile.credential?.kind === 'key') return profile.credential
  const item = findKeyItem(profile)
  if (item !== undefined) return { kind: 'key', key: await readStoredKey(context, item) }
  throw new Failure('credentials', `the profile ${profile.name} has no key that could be moved`, {
    fix: (suggest) => `Save a key: ${suggest`profile set-key ${profile.name}`}`,
  })
}
