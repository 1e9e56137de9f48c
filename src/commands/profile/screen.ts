// Renders one profile, or a table of all. Keys are never shown.
import type { Profile } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { column, pick, type ResultFields, wordOf } from '../../ui/text/result-fields.ts'
import { renderFields } from '../../ui/text/table.ts'

/** What selected an account: a variable, the command `profile use`, or nothing. */
export type Selector = 'ORDERCTL_PROFILE' | 'ORDERCTL_BASE_URL' | 'profile use' | 'default'

/** `auth` is the value of --auth. */
export type ProfileRow = Pick<
  Profile,
  'name' | 'account' | 'wallet' | 'products' | 'journal' | 'assistants' | 'webhookHost'
> & {
  readonly current: boolean
  readonly builtIn: boolean
  /** Why a command without a name uses it. */
  readonly selectedBy?: Selector
  readonly baseUrl?: string
  readonly auth?: string
  readonly credential: string
  /** Where its key is kept. */
  readonly keyStore?: 'file' | 'system'
  /** Where the password of its journal comes from, if the profile says so. Never the command, which may hold a secret. */
  readonly journalCredential?: string
}

const selectors: Readonly<Record<Selector, string>> = {
  ORDERCTL_PROFILE: 'ORDERCTL_PROFILE',
  ORDERCTL_BASE_URL: 'ORDERCTL_BASE_URL',
  'profile use': 'the command profile use',
  default: 'default, because no profile was ever saved',
}

/** For a note below the table. */
export const describeSelected = ({ name, selectedBy = 'default' }: ProfileRow): string =>
  `Commands use ${sanitize(name)}, selected by ${selectors[selectedBy]}`

const builtInAddress = 'built in: no real money'

const showAddress = ({ baseUrl = builtInAddress }: ProfileRow): string => baseUrl

export const profileFields: ResultFields<ProfileRow> = [
  column('current', 'flag', 'commands use it', ({ current }) => current, {
    title: 'USED',
    cell: ({ current }) => (current ? '*' : ''),
  }),
  ['name', 'text', 'its name', ({ name }) => name, { title: 'PROFILE' }],
  ['builtIn', 'flag', 'the sandbox', ({ builtIn }) => builtIn],
  column('baseUrl', 'text', 'the address of the service', ({ baseUrl }) => baseUrl, {
    title: 'ADDRESS',
    cell: showAddress,
    narrow: 'wrap',
  }),
  column('account', 'text', "the account's declared name", ({ account }) => account, {
    title: 'ACCOUNT',
    isOptional: true,
  }),
  ['auth', 'text', 'how its key is sent', ({ auth }) => auth, { title: 'AUTH' }],
  ['wallet', 'text', 'its wallet', ({ wallet }) => wallet, { title: 'WALLET', narrow: 'leave-out' }],
  column('credential', 'text', 'where its key comes from', ({ credential }) => credential, {
    title: 'CREDENTIAL',
    narrow: 'wrap',
  }),
  column('journal', 'text', 'its shared journal', ({ journal }) => journal, {
    title: 'JOURNAL',
    narrow: 'leave-out',
    isOptional: true,
  }),
  ['productFile', 'text', 'its product file', ({ products }) => products],
  ...pick((row: ProfileRow) => row, {
    keyStore: [wordOf('file', 'system'), 'where the key is kept'],
    selectedBy: ['text', 'why commands use it'],
    journalCredential: ['text', "where the journal's password comes from"],
    assistants: ['text', 'allow if assistants may spend'],
    webhookHost: ['text', 'the host that gets codes without a prompt'],
  }),
]

export const removedFields = pick((removed: { name: string; currentName: string | undefined }) => removed, {
  name: ['text', 'the profile that was removed'],
  currentName: ['text', 'the profile in use'],
})

/** Of profile test, if the service did not refuse the key. */
export const testedFields = pick((tested: { name: string; response: string }) => tested, {
  name: ['text', 'the profile'],
  response: ['text', 'what the service said about an unknown order'],
})

export const renderProfile = (profile: ProfileRow & { readonly sold?: string }, view: View): string => {
  const { name, current, baseUrl = builtInAddress, account, auth, wallet, sold, credential } = profile
  const { journal, journalCredential, selectedBy, assistants, webhookHost } = profile
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
      ['Webhook', webhookHost && `${sanitize(webhookHost)} may get codes without a prompt`],
      ['Assistants', assistants === 'allow' ? 'may spend and reveal codes' : undefined],
    ],
    view,
  )
}
