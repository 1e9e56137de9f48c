// orderctl profile add: checks everything before it asks for the key, then saves the profile.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { createTakenFailure } from '../../profiles/store.ts'
import { canPrompt } from '../shared/options.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { profilesOf } from '../shared/profiles.ts'
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
import type { AddOptions } from './spec.ts'

/** Returns the exit code. */
export const addProfile = async (context: Context, options: AddOptions): Promise<number> => {
  const { name, json, noInput } = options
  const given = readGiven(context, options)
  const profiles = profilesOf(context)
  const isComplete = given.baseUrl !== undefined && hasKey(options)
  if (!isComplete && !json && canPrompt(context, { noInput })) {
    const { askForProfile } = await import('./ask-for-profile.ts')
    return askForProfile(context, { given, options, profiles })
  }
  if (given.baseUrl === undefined) throw createMissingFailure('--base-url', 'profile add')
  const profile = validate({ ...given, name, baseUrl: given.baseUrl })
  if (isTaken(profiles, name, options)) throw createTakenFailure(name)
  if (given.products !== undefined) await readProductFile(context, given.products)
  if (!hasKey(options)) throw createMissingKeyFailure('profile add')
  const credential = await readCredential(context, profile, options)
  await saveProfile(context, profiles, { ...profile, credential }, options)
  const current = profiles.current()?.name
  if (current !== name && !json) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: ${context.suggest`profile use ${name}`}\n`)
  }
  return exitCodes.ok.code
}
