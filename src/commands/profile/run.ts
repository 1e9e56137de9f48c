// orderctl profile list, show, use and remove, and a profile as commands print it. It never has the key, nor the
// credential command, which may hold a key.

import { writeNote } from '../../app/notes.ts'
import { readProductFile } from '../../app/products/product-list.ts'
import { profilesOf } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { writeRemedy } from '../../errors.ts'
import type { Profile } from '../../profiles/profile.ts'
import { adviseUse, createUnknownProfileFailure } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { readFields, renderResults } from '../../ui/text/result-fields.ts'
import { removeStoredKey } from './key.ts'
import { findSelector, readRows } from './rows.ts'
import { describeSelected, type ProfileRow, profileFields, renderProfile } from './screen.ts'
import type { ListOptions, ShowOptions } from './spec.ts'

type Json = { readonly json: boolean }

export const listProfiles = async (context: Context, options: ListOptions): Promise<void> => {
  const { rows, used, failure, saved } = await readRows(context, options)
  const text = options.json
    ? renderJson(rows.map((row) => readFields(profileFields, row)))
    : renderResults(profileFields, rows, viewOf(context))
  context.stdout.write(text)
  if (used !== undefined) writeNote(context, `${describeSelected(used)}\n`)
  else if (failure !== undefined) context.stderr.warn(`no account is selected: ${sanitize(failure.message)}`)
  else if (!options.json) printNoneInUse(context, saved)
}

/** Without a name, the account that a command would use. */
export const showProfile = async (
  context: Context,
  options: Partial<ShowOptions> & ListOptions,
): Promise<void> => {
  const { name, json } = options
  const { rows, used, failure, saved } = await readRows(context, options)
  const row = name === undefined ? used : rows.find((each) => each.name === name)
  if (row !== undefined) await printRow(context, row, options)
  else if (name !== undefined) throw createUnknownProfileFailure(name, saved)
  else if (failure !== undefined) throw failure
  else if (json) context.stdout.write(renderJson(null))
  else printNoneInUse(context, saved)
}

type Named = Json & { readonly name: string }

export const useProfile = async (context: Context, { name, json }: Named): Promise<void> => {
  await profilesOf(context).use(name)
  const selector = findSelector(context)
  if (selector !== undefined) context.stderr.warn(`${selector} is set, and overrides the profile in use`)
  if (json) context.stdout.write(renderJson({ name, current: true }))
  else context.stderr.write(`The profile ${name} is now in use\n`)
}

export const removeProfile = async (context: Context, { name, json }: Named): Promise<void> => {
  const profiles = profilesOf(context)
  const removed = profiles.get(name)
  const wasCurrent = profiles.current()?.name === name
  await profiles.remove(name)
  if (json) {
    const current = profiles.current()?.name ?? null
    context.stdout.write(renderJson({ name, removed: true, current }))
  } else {
    context.stderr.write(`The profile ${name} was removed\n`)
    if (wasCurrent) printNoneInUse(context, profiles.list())
  }
  await removeStoredKey(context, removed)
}

const printNoneInUse = (context: Context, profiles: readonly Profile[]): void => {
  const { fix, advice } = writeRemedy(adviseUse(profiles), context.suggest)
  writeNote(context, `No profile is in use. To use one: ${fix}\n${advice}\n`)
}

/** `reason`: why the key is in the file. */
export const printRow = async (
  context: Context,
  row: ProfileRow,
  { json }: Json,
  reason?: string,
): Promise<void> => {
  if (json) {
    context.stdout.write(renderJson(readFields(profileFields, row)))
    return
  }
  // The number of products, or why the file cannot be read.
  const sold =
    row.products &&
    (await readProductFile(context, row.products).then(
      ({ length }) => `${describeCount(length, 'product')} in ${row.products}`,
      (error: Error) => error.message,
    ))
  const credential = reason === undefined ? row.credential : `${row.credential} (${sanitize(reason)})`
  context.stdout.write(renderProfile({ ...row, credential, sold }, viewOf(context)))
}
