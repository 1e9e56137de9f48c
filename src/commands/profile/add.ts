// orderctl profile add: checks everything before it asks for the key, then saves the profile.
import type { Context } from '../../context.ts'
import { defaultAuth, formatAuth } from '../../contract/auth.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findNameProblem, type Profile } from '../../profiles/profile.ts'
import { createTakenFailure, type Profiles } from '../../profiles/store.ts'
import type { Suggest } from '../../text/suggest.ts'
import { canPrompt } from '../shared/options.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { profilesOf } from '../shared/profiles.ts'
import {
  createMissingFailure,
  keyFlagNames,
  readGiven,
  validate,
  warnOfLeftJournal,
} from './given-profile.ts'
import { hasKey, readCredential, removeOldKey, saveWithKey } from './key.ts'
import { printRow, rowOf } from './run.ts'
import type { AddOptions } from './spec.ts'

/** Returns the exit code. */
export const addProfile = async (context: Context, options: AddOptions): Promise<number> => {
  const { name, json, replace } = options
  const given = readGiven(context, options)
  const profiles = profilesOf(context)
  const isTaken = (text: string): boolean => !replace && profiles.get(text) !== undefined
  const isComplete = name !== undefined && given.baseUrl !== undefined && hasKey(options)
  if (!isComplete && !json && canPrompt(context, options)) {
    const { askForProfile, offerUse } = await import('./prompts.ts')
    const checkName = (text: string): string | undefined => {
      const allowed = findNameProblem(text)
      if (allowed !== undefined) return `allowed: ${allowed}`
      return isTaken(text)
        ? `the profile ${text} already exists. Enter another name, or press Ctrl-C and type: ${context.suggest`profile set ${text}`}`
        : undefined
    }
    const present = replace && name !== undefined ? profiles.get(name) : undefined
    const profile = await askForProfile(context, { given, options, present, checkName })
    await saveProfile(context, profiles, profile, options)
    await offerUse(context, profiles, profile.name)
    return exitCodes.ok.code
  }
  if (name === undefined) throw createMissingFailure('the name of the profile', 'profile add')
  if (given.baseUrl === undefined) throw createMissingFailure('--base-url', 'profile add')
  const profile = validate({ ...given, name, baseUrl: given.baseUrl }, 'profile add')
  if (isTaken(name)) throw createTakenFailure(name)
  if (given.products !== undefined) await readProductFile(context, given.products)
  if (!hasKey(options)) throw createMissingFailure(keyFlagNames, 'profile add')
  const credential = await readCredential(context, profile, options)
  await saveProfile(context, profiles, { ...profile, credential }, options)
  const current = profiles.current()?.name
  if (current !== name && !json) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: ${context.suggest`profile use ${name}`}\n`)
  }
  return exitCodes.ok.code
}

/** Also prints the profile. */
const saveProfile = async (
  context: Context,
  profiles: Profiles,
  given: Profile,
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
  if (replaced === undefined) return
  const lost = describeLostSettings(replaced, options, context.suggest)
  if (lost !== undefined) context.stderr.warn(lost)
  warnOfLeftJournal(context, replaced, options)
}

/** Another journal would not know the orders of the profile, and could not prevent a second purchase. */
const keepJournal = (given: Profile, replaced: Profile | undefined): Profile => {
  const { journal, journalPasswordCommand, lastJournal } = replaced ?? {}
  return { ...given, journal, journalPasswordCommand, lastJournal }
}

/** With the command that sets the lost settings again. */
const describeLostSettings = (replaced: Profile, given: AddOptions, suggest: Suggest): string | undefined => {
  const { account, auth, wallet, products } = replaced
  const sentAs = formatAuth(auth)
  const before = { account, auth: sentAs === formatAuth(defaultAuth) ? undefined : sentAs, wallet, products }
  const lost = Object.entries(before).filter(
    ([flag, value]) => value !== undefined && given[flag as keyof typeof before] === undefined,
  )
  if (lost.length === 0) return undefined
  const flags = Object.fromEntries(lost)
  const command = suggest`profile set ${replaced.name} ${flags}`
  return `the profile ${replaced.name} no longer has ${suggest.flags(flags)}. To set it again: ${command}`
}
