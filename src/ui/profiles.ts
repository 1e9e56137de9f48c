// Profiles for people: one, or the table of them. Never a key.
import { fieldsText } from './fields.ts'
import { safeText } from './safe-text.ts'
import { tableText } from './table.ts'
import type { View } from './view.ts'

export type ProfileRow = {
  readonly name: string
  readonly current: boolean
  readonly builtIn: boolean
  readonly baseUrl?: string
  readonly auth?: string
  readonly wallet?: string
  /** The file of what it sells. */
  readonly products?: string
  readonly credential: string
}

export const profilesText = (rows: readonly ProfileRow[], view: View): string =>
  tableText(
    [
      { title: 'USED' },
      { title: 'PROFILE' },
      { title: 'ADDRESS', narrow: 'wrap' },
      { title: 'AUTH' },
      { title: 'WALLET' },
      { title: 'CREDENTIAL', narrow: 'wrap' },
    ],
    rows.map(({ name, current, baseUrl, auth, wallet, credential }) => [
      current ? '*' : '',
      name,
      baseUrl ?? 'built in, no money moves',
      auth ?? '',
      wallet ?? '',
      credential,
    ]),
    view,
  )

export const profileText = (
  {
    name,
    current,
    baseUrl,
    auth,
    wallet,
    sold,
    credential,
  }: ProfileRow & { readonly sold?: string | undefined },
  view: View,
): string =>
  fieldsText(
    [
      ['Profile', `${view.theme.strong(safeText(name))}${current ? ', in use' : ''}`],
      ['Address', baseUrl === undefined ? 'built in, no money moves' : safeText(baseUrl)],
      ['Auth', auth === undefined ? undefined : safeText(auth)],
      ['Wallet', wallet === undefined ? undefined : safeText(wallet)],
      ['Products', sold === undefined ? undefined : safeText(sold)],
      ['Credential', credential],
    ],
    view,
  )
