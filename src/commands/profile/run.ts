// orderctl profile list, show, use and remove.
import type { Context } from '../../context.ts'
import { writeFix } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Profile, sandbox } from '../../profiles/profile.ts'
import { createUnknownProfileFailure, describeUseCommands } from '../../profiles/store.ts'
import { renderProfiles } from '../../ui/screens/profiles.ts'
import { renderJson } from '../../ui/text/json.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { findProfileInUse, profilesOf } from '../shared/profiles.ts'
import { removeStoredKey } from './key-place.ts'
import { printRow, rowOf, sandboxRow } from './rows.ts'
import type { ListOptions, RemoveOptions, ShowOptions, UseOptions } from './spec.ts'

export const listProfiles = async (context: Context, { json }: ListOptions): Promise<number> => {
  const profiles = profilesOf(context)
  const current = await findProfileInUse(context, profiles)
  const all = profiles.list()
  const rows = [sandboxRow(current), ...all.map((profile) => rowOf(profile, current))]
  context.stdout.write(json ? renderJson(rows) : renderProfiles(rows, viewOf(context)))
  if (current === undefined && !json) printNoneInUse(context, all)
  return exitCodes.ok.code
}

export const showProfile = async (context: Context, options: ShowOptions): Promise<number> => {
  const profiles = profilesOf(context)
  const current = await findProfileInUse(context, profiles)
  const wanted = options.name ?? current
  if (wanted === undefined) {
    if (options.json) context.stdout.write(renderJson(null))
    else printNoneInUse(context, profiles.list())
    return exitCodes.ok.code
  }
  const profile = wanted === sandbox ? undefined : profiles.get(wanted)
  if (wanted !== sandbox && profile === undefined) throw createUnknownProfileFailure(wanted, profiles.list())
  await printRow(context, profile === undefined ? sandboxRow(current) : rowOf(profile, current), options)
  return exitCodes.ok.code
}

export const useProfile = async (context: Context, { name, json }: UseOptions): Promise<number> => {
  await profilesOf(context).use(name)
  if (json) context.stdout.write(renderJson({ name, current: true }))
  else context.stderr.write(`The profile ${name} is now in use\n`)
  return exitCodes.ok.code
}

export const removeProfile = async (context: Context, { name, json }: RemoveOptions): Promise<number> => {
  const profiles = profilesOf(context)
  const removed = profiles.get(name)
  const { wasCurrent } = await profiles.remove(name)
  if (json) {
    const current = profiles.current()?.name ?? null
    context.stdout.write(renderJson({ name, removed: true, current }))
  } else {
    context.stderr.write(`The profile ${name} was removed\n`)
    if (wasCurrent) printNoneInUse(context, profiles.list())
  }
  await removeStoredKey(context, removed)
  return exitCodes.ok.code
}

const printNoneInUse = ({ stderr, suggest }: Context, profiles: readonly Profile[]): void =>
  stderr.write(`No profile is in use. To use one: ${writeFix(describeUseCommands(profiles), suggest)}\n`)
