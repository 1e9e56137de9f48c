// orderctl profile add: checks everything before it asks for the key, then saves the profile.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { createTakenFailure } from '../../profiles/store.ts'
import { readProductFile } from '../shared/products/product-file.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { canPrompt } from '../shared/session.ts'
import type { AddFlags } from './flags.ts'
import {
  createMissingFailure,
  createMissingKeyFailure,
  hasKey,
  isTaken,
  readCredential,
  readGiven,
  saveProfile,
  validate,
} from './given-profile.ts'

/** Returns the exit code. */
export const addProfile = async (context: Context, name: string, flags: AddFlags): Promise<number> => {
  const given = readGiven(context, flags)
  const profiles = profilesOf(context)
  const isComplete = given.baseUrl !== undefined && hasKey(flags)
  if (!isComplete && flags.json !== true && canPrompt(context, flags)) {
    const { askForProfile } = await import('./ask-for-profile.ts')
    return askForProfile(context, { name, given, flags, profiles })
  }
  if (given.baseUrl === undefined) throw createMissingFailure('--base-url', 'profile add')
  const profile = validate({ ...given, name, baseUrl: given.baseUrl })
  if (isTaken(profiles, name, flags)) throw createTakenFailure(name)
  if (given.products !== undefined) await readProductFile(context, given.products)
  if (!hasKey(flags)) throw createMissingKeyFailure('profile add')
  const credential = await readCredential(context, profile, flags)
  await saveProfile(context, profiles, { ...profile, credential }, { flags, keyPlace: given.keyPlace })
  const current = profiles.current()?.name
  if (current !== name && flags.json !== true) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: ${context.suggest`profile use ${name}`}\n`)
  }
  return exitCodes.ok.code
}
