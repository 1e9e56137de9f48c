// orderctl profile list, show, use and remove, and a profile as commands print it. It never has the key, nor the
// credential command, which may hold a key.
import type { Context } from '../../context.ts'
import { formatAuth } from '../../contract/auth.ts'
import { writeRemedy } from '../../errors.ts'
import { type Credential, type Profile, sandbox } from '../../profiles/profile.ts'
import { adviseUse, createUnknownProfileFailure } from '../../profiles/store.ts'
import { type ProfileRow, renderProfile, renderProfiles } from '../../ui/screens/profiles.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { writeNote } from '../shared/notes.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { findProfileInUse, profilesOf } from '../shared/profiles.ts'
import { removeStoredKey } from './key.ts'
import type { NameOptions, ShowOptions } from './spec.ts'

type Json = { readonly json: boolean }

export const listProfiles = async (context: Context, { json }: Json): Promise<void> => {
  const { rows, current, saved } = await readRows(context)
  context.stdout.write(json ? renderJson(rows) : renderProfiles(rows, viewOf(context)))
  if (current === undefined && !json) printNoneInUse(context, saved)
}

export const showProfile = async (context: Context, options: ShowOptions): Promise<void> => {
  const { rows, current, saved } = await readRows(context)
  const wanted = options.name ?? current
  const row = rows.find(({ name }) => name === wanted)
  if (row !== undefined) await printRow(context, row, options)
  else if (wanted !== undefined) throw createUnknownProfileFailure(wanted, saved)
  else if (options.json) context.stdout.write(renderJson(null))
  else printNoneInUse(context, saved)
}

const readRows = async (context: Context) => {
  const profiles = profilesOf(context)
  const current = await findProfileInUse(context, profiles)
  const saved = profiles.list()
  const isInUse = current === sandbox
  const builtIn = { name: sandbox, current: isInUse, builtIn: true, credential: 'none needed' }
  const rows: readonly ProfileRow[] = [builtIn, ...saved.map((profile) => rowOf(profile, current))]
  return { rows, current, saved }
}

export const useProfile = async (context: Context, { name, json }: NameOptions): Promise<void> => {
  await profilesOf(context).use(name)
  if (json) context.stdout.write(renderJson({ name, current: true }))
  else context.stderr.write(`The profile ${name} is now in use\n`)
}

export const removeProfile = async (context: Context, { name, json }: NameOptions): Promise<void> => {
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
}

const printNoneInUse = (context: Context, profiles: readonly Profile[]): void => {
  const { fix, advice } = writeRemedy(adviseUse(profiles), context.suggest)
  writeNote(context, `No profile is in use. To use one: ${fix}\n${advice}\n`)
}

export const rowOf = (profile: Profile, current: string | undefined): ProfileRow => ({
  name: profile.name,
  current: profile.name === current,
  builtIn: false,
  baseUrl: profile.baseUrl,
  account: profile.account,
  auth: formatAuth(profile.auth),
  wallet: profile.wallet,
  products: profile.products,
  ...(profile.credential === undefined ? { credential: 'none' } : credentials[profile.credential.kind]),
  journal: profile.journal,
  lastJournal: profile.lastJournal,
  journalCredential: profile.journalPasswordCommand === undefined ? undefined : runCommand,
})

const runCommand = 'command, run when needed'

const credentials: Readonly<Record<Credential['kind'], Pick<ProfileRow, 'credential' | 'keyStore'>>> = {
  key: { credential: 'key, in profiles.json', keyStore: 'file' },
  system: { credential: 'key, in the credential store', keyStore: 'system' },
  command: { credential: runCommand },
}

/** `reason`: why the key is in the file. */
export const printRow = async (
  context: Context,
  row: ProfileRow,
  { json }: Json,
  reason?: string,
): Promise<void> => {
  if (json) {
    context.stdout.write(renderJson(row))
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
