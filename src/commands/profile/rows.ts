// A profile as commands print it. It never has the key, nor the credential command, which may hold a key.
import type { Context } from '../../context.ts'
import { formatAuth } from '../../contract/auth.ts'
import { type Credential, type Profile, sandbox } from '../../profiles/profile.ts'
import { type ProfileRow, renderProfile } from '../../ui/screens/profiles.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { readProductFile } from '../shared/products/product-list.ts'

export type JsonOption = { readonly json: boolean }

export const sandboxRow = (current: string | undefined): ProfileRow => ({
  name: sandbox,
  current: current === sandbox,
  builtIn: true,
  credential: 'none needed',
})

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
  { json }: JsonOption,
  reason?: string,
): Promise<void> => {
  if (json) {
    context.stdout.write(renderJson(row))
    return
  }
  const sold = row.products === undefined ? undefined : await countProducts(context, row.products)
  const credential = reason === undefined ? row.credential : `${row.credential} (${sanitize(reason)})`
  context.stdout.write(renderProfile({ ...row, credential, sold }, viewOf(context)))
}

/** The number of products, or why the file cannot be read. */
const countProducts = (context: Context, file: string): Promise<string> =>
  readProductFile(context, file).then(
    ({ length }) => `${length} ${length === 1 ? 'product' : 'products'} in ${file}`,
    (error: Error) => error.message,
  )
