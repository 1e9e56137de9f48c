// profile add and profile set: from flags or prompts to a saved profile. Everything is checked before the key is asked for.

import { canPrompt } from '../../app/notes.ts'
import { readProductFile } from '../../app/products/product-list.ts'
import { profilesOf } from '../../app/profiles.ts'
import { flagName } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type Credential, findNameProblem, type Profile } from '../../profiles/profile.ts'
import { createTakenFailure, createUnknownProfileFailure, type Profiles } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import {
  askForKey,
  hasKey,
  keepCredential,
  readCredential,
  readPresentKey,
  removeOldKey,
  saveWithKey,
} from './key.ts'
import { rowOf } from './rows.ts'
import { printRow } from './run.ts'
import { askForProfile, type GivenProfile, keepJournal, offerUse, readGiven, validate } from './settings.ts'
import { type AddOptions, localJournal, type SetOptions, type SettingOptions } from './spec.ts'

export const addProfile = async (context: Context, options: AddOptions): Promise<void> => {
  const { name, json, replace } = options
  const given = readGiven(context, options)
  const profiles = profilesOf(context)
  const isTaken = (text: string): boolean => !replace && profiles.get(text) !== undefined
  const isComplete = name !== undefined && given.baseUrl !== undefined && hasKey(options)
  if (!isComplete && !json && canPrompt(context, options)) {
    const present = replace && name !== undefined ? profiles.get(name) : undefined
    const profile = await askForProfile(context, {
      given,
      options,
      present,
      findNameProblem: (text) => {
        const allowed = findNameProblem(text)
        if (allowed !== undefined) return `allowed: ${allowed}`
        if (!isTaken(text)) return undefined
        const change = context.suggest`profile set ${text}`
        return `the profile ${text} already exists. Enter another name, or press Ctrl-C and type: ${change}`
      },
    })
    await saveNew(context, profiles, profile, given, options)
    await offerUse(context, profiles, profile.name)
    return
  }
  if (name === undefined) throw createMissingFailure('the name of the profile', 'profile add')
  if (given.baseUrl === undefined) throw createMissingFailure('--base-url', 'profile add')
  const profile = validate({ ...given, name, baseUrl: given.baseUrl }, 'profile add')
  if (isTaken(name)) throw createTakenFailure(name)
  if (given.products !== undefined) await readProductFile(context, given.products)
  if (!hasKey(options)) throw createMissingFailure(keyFlagNames, 'profile add')
  const credential = await readCredential(context, profile, options)
  await saveNew(context, profiles, { ...profile, credential }, given, options)
  const current = profiles.current()?.name
  if (current !== name && !json) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: ${context.suggest`profile use ${name}`}\n`)
  }
}

/** Also prints the profile. */
const saveNew = async (
  context: Context,
  profiles: Profiles,
  profile: Profile,
  given: GivenProfile,
  options: AddOptions,
): Promise<void> => {
  const { name } = profile
  const replaced = profiles.get(name)
  const complete = keepJournal(profile, options.journal === undefined ? replaced : given)
  const saved = await saveWithKey(context, complete, options.keyStore, (each) =>
    profiles.add(each, { replace: options.replace }),
  )
  if (options.use) await profiles.use(name)
  await removeOldKey(context, replaced)
  await printRow(context, rowOf(saved.profile, profiles.current()?.name), options, saved.reason)
  if (replaced === undefined) return
  warnOfLostSettings(context, replaced, profile, options)
  warnOfLeftJournal(context, replaced, options)
}

/** With the command that sets the lost settings again. */
const warnOfLostSettings = (
  { stderr, suggest }: Context,
  replaced: Profile,
  profile: Profile,
  given: AddOptions,
): void => {
  const settings = ['account', 'auth', 'wallet', 'products', 'webhookHost', 'assistants'] as const
  const lost = settings.filter(
    (name) => given[name] === undefined && replaced[name] !== undefined && replaced[name] !== profile[name],
  )
  if (lost.length === 0) return
  const { name } = profile
  const flags = Object.fromEntries(lost.map((each) => [flagName(each).slice(2), replaced[each]]))
  const command = suggest`profile set ${name} ${flags}`
  stderr.warn(`the profile ${name} no longer has ${suggest.flags(flags)}. To set it again: ${command}`)
}

/** The journal of this machine does not know the orders of the shared journal that the profile used. */
const warnOfLeftJournal = ({ stderr }: Context, left: Profile, given: SettingOptions): void => {
  const { journal } = left
  if (given.journal !== localJournal || journal === undefined) return
  stderr.warn(
    `the profile ${left.name} now uses the journal of this machine, which does not know the orders in ${journal}`,
  )
}

const createMissingFailure = (flag: string, command: string): Failure =>
  new Failure('missing', `${flag} is missing`, { field: flag, fix: () => `orderctl ${command} --help` })

const keyFlagNames = '--key-stdin, --key-file or --credential-command'

/** If no setting is given, prompts for every setting on a terminal. */
export const setProfile = async (context: Context, options: SetOptions): Promise<void> => {
  const { name, keyStore } = options
  const profiles = profilesOf(context)
  const present = profiles.get(name)
  if (present === undefined) throw createUnknownProfileFailure(name, profiles.list())
  const changed = await changeProfile(context, present, options)
  const place = keyStore ?? rowOf(present, undefined).keyStore
  const { profile, reason } = await saveWithKey(context, changed, place, (each) =>
    profiles.update(name, each),
  )
  if (profile.credential !== present.credential) await removeOldKey(context, present)
  await printRow(context, rowOf(profile, profiles.current()?.name), options, reason)
  warnOfLeftJournal(context, present, options)
}

/** An empty account, wallet, product file or webhook host is removed. */
const changeProfile = async (context: Context, present: Profile, options: SetOptions): Promise<Profile> => {
  const given = readGiven(context, options)
  const hasSetting = Object.keys(given).length > 0 || options.journal !== undefined
  if (hasSetting || hasKey(options) || options.keyStore !== undefined) {
    const all = { ...present, ...given }
    const removable = ['account', 'wallet', 'products', 'webhookHost'] as const
    const removed = removable.filter((name) => given[name] === '').map((name) => [name, undefined])
    const profile = validate({ ...all, ...Object.fromEntries(removed) }, 'profile set')
    if (given.products) await readProductFile(context, given.products)
    const credential = await findCredential(context, present, profile, options)
    return keepJournal({ ...profile, credential }, options.journal === undefined ? present : given)
  }
  if (options.json || !canPrompt(context, options))
    throw createMissingFailure('a setting, such as --wallet,', 'profile set')
  const asked = { given, options, present, findNameProblem: () => undefined }
  return keepJournal(await askForProfile(context, asked), present)
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
      return askForKey(context, profile)
    }
  }
  if (present.credential === undefined) return undefined
  const kept = await keepCredential(context, present, profile)
  if (kept !== undefined) return kept
  if (asks) return askForKey(context, profile, undefined, present)
  throw new Failure('usage', '--base-url has a different host, which must not get the saved key', {
    field: '--base-url',
    advice: `Add a key for the new host: ${keyFlagNames}.`,
  })
}
