// Renders one profile, or a table of all. Keys are never shown.
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { renderFields } from '../text/fields.ts'
import { renderTableOf } from '../text/table.ts'

/** What selected an account: a flag, a variable, the command `profile use`, or nothing. */
export type Selector = '--profile' | 'ORDERCTL_PROFILE' | 'ORDERCTL_BASE_URL' | 'profile use' | 'default'

export type ProfileRow = {
  readonly name: string
  readonly current: boolean
  readonly builtIn: boolean
  /** Why a command without a name uses it. */
  readonly selectedBy?: Selector
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
  /** Where its password comes from, if the profile says so. Never the command, which may hold a secret. */
  readonly journalCredential?: string
}

const selectors: Readonly<Record<Selector, string>> = {
  '--profile': '--profile',
  ORDERCTL_PROFILE: 'ORDERCTL_PROFILE',
  ORDERCTL_BASE_URL: 'ORDERCTL_BASE_URL',
  'profile use': 'the command profile use',
  default: 'default, because no profile was ever saved',
}

/** For a note below the table. */
export const describeSelected = ({ name, selectedBy = 'default' }: ProfileRow): string =>
  `Commands use ${sanitize(name)}, selected by ${selectors[selectedBy]}`

/** The account in three lines. */
export const renderSelected = (
  { name, baseUrl, account, selectedBy = 'default' }: ProfileRow,
  view: View,
): string =>
  renderFields(
    [
      ['Profile', view.theme.strong(sanitize(name))],
      ['Address', describeAddress(baseUrl, account)],
      ['Selected', `by ${selectors[selectedBy]}`],
    ],
    view,
  )

const describeAddress = (baseUrl = builtInAddress, account?: string): string =>
  sanitize(account === undefined ? baseUrl : `${baseUrl}, account ${account}`)

const builtInAddress = 'built in: no real money'

export const renderProfiles = (rows: readonly ProfileRow[], view: View): string => {
  const hasAccounts = rows.some(({ account }) => account !== undefined)
  const hasJournals = rows.some(({ journal }) => journal !== undefined)
  return renderTableOf(
    [
      ['USED', ({ current }) => (current ? '*' : '')],
      ['PROFILE', ({ name }) => name],
      ['ADDRESS', ({ baseUrl = builtInAddress }) => baseUrl, { narrow: 'wrap' }],
      ['ACCOUNT', ({ account }) => account, { isShown: hasAccounts }],
      ['AUTH', ({ auth }) => auth],
      ['WALLET', ({ wallet }) => wallet, { narrow: 'leave-out' }],
      ['CREDENTIAL', ({ credential }) => credential, { narrow: 'wrap' }],
      ['JOURNAL', ({ journal }) => journal, { narrow: 'leave-out', isShown: hasJournals }],
    ],
    rows,
    view,
  )
}

export const renderProfile = (profile: ProfileRow & { readonly sold?: string }, view: View): string => {
  const { name, current, baseUrl = builtInAddress, account, auth, wallet, sold, credential } = profile
  const { journal, journalCredential, selectedBy } = profile
  return renderFields(
    [
      ['Profile', `${view.theme.strong(sanitize(name))}${current ? ', in use' : ''}`],
      ['Address', sanitize(baseUrl)],
      ['Account', account && sanitize(account)],
      ['Selected', selectedBy && `by ${selectors[selectedBy]}`],
      ['Auth', auth && sanitize(auth)],
      ['Wallet', wallet && sanitize(wallet)],
      ['Products', sold && sanitize(sold)],
      ['Credential', credential],
      ['Journal', journal && sanitize(journal)],
      ['Password', journalCredential],
    ],
    view,
  )
}
