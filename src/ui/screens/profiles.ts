// Renders one profile, or a table of all. Keys are never shown.
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { renderFields } from '../text/fields.ts'
import { renderTable } from '../text/table.ts'

export type ProfileRow = {
  readonly name: string
  readonly current: boolean
  readonly builtIn: boolean
  readonly baseUrl?: string
  /** Declared by the user if one address serves separate accounts. */
  readonly account?: string
  readonly auth?: string
  readonly wallet?: string
  /** The file that lists the products of the account. */
  readonly products?: string
  readonly credential: string
  /** Where its key is kept. */
  readonly keyStore?: 'file' | 'system'
  /** The address of the journal that a team shares. */
  readonly journal?: string
  /** The shared journal that ORDERCTL_JOURNAL named when the profile last spent. */
  readonly lastJournal?: string
  /** Where its password comes from, if the profile says so. Never the command, which may hold a secret. */
  readonly journalCredential?: string
}

export const renderProfiles = (rows: readonly ProfileRow[], view: View): string => {
  const hasAccounts = rows.some(({ account }) => account !== undefined)
  const hasJournals = rows.some((row) => findJournal(row) !== undefined)
  return renderTable(
    [
      { title: 'USED' },
      { title: 'PROFILE' },
      { title: 'ADDRESS', narrow: 'wrap' },
      ...(hasAccounts ? [{ title: 'ACCOUNT' }] : []),
      { title: 'AUTH' },
      { title: 'WALLET' },
      { title: 'CREDENTIAL', narrow: 'wrap' },
      ...(hasJournals ? [{ title: 'JOURNAL', narrow: 'leave-out' } as const] : []),
    ],
    rows.map(({ name, current, baseUrl, account, auth, wallet, credential, ...journals }) => [
      current ? '*' : '',
      name,
      baseUrl ?? 'built in: no real money',
      ...(hasAccounts ? [account ?? ''] : []),
      auth ?? '',
      wallet ?? '',
      credential,
      ...(hasJournals ? [findJournal(journals) ?? ''] : []),
    ]),
    view,
  )
}

const findJournal = ({ journal, lastJournal }: Pick<ProfileRow, 'journal' | 'lastJournal'>) =>
  journal ?? lastJournal

export const renderProfile = (
  {
    name,
    current,
    baseUrl,
    account,
    auth,
    wallet,
    sold,
    credential,
    journal,
    lastJournal,
    journalCredential,
  }: ProfileRow & { readonly sold?: string | undefined },
  view: View,
): string =>
  renderFields(
    [
      ['Profile', `${view.theme.strong(sanitize(name))}${current ? ', in use' : ''}`],
      ['Address', baseUrl === undefined ? 'built in: no real money' : sanitize(baseUrl)],
      ['Account', account === undefined ? undefined : sanitize(account)],
      ['Auth', auth === undefined ? undefined : sanitize(auth)],
      ['Wallet', wallet === undefined ? undefined : sanitize(wallet)],
      ['Products', sold === undefined ? undefined : sanitize(sold)],
      ['Credential', credential],
      ['Journal', describeJournal(journal, lastJournal)],
      ['Password', journalCredential],
    ],
    view,
  )

const describeJournal = (journal: string | undefined, lastJournal: string | undefined) => {
  if (journal !== undefined) return sanitize(journal)
  return lastJournal === undefined ? undefined : `${sanitize(lastJournal)}, by ORDERCTL_JOURNAL`
}
