// orderctl profile list, show, use, remove and test. What they print of a profile never includes the key, nor the credential
// command, which may hold a key. Only test sends a request: it asks for an order that does not exist. Then the profiles as
// a table and as JSON.

import {
  accountOf,
  findProfileInUse,
  printAccount,
  profilesOf,
  readStoredKey,
  type SessionOptions,
} from '../../app/account.ts'
import { probeAccount } from '../../app/checks.ts'
import { openSession } from '../../app/open-session.ts'
import { readProductFile } from '../../app/product-list.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { formatAuth } from '../../contract/auth.ts'
import { Failure, writeRemedy } from '../../errors.ts'
import { type Account, baseUrlName, keyName, resolveService } from '../../profiles/account.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import type { KeyItem } from '../../profiles/key-store.ts'
import {
  adviseUse,
  type Credential,
  createUnknownProfileFailure,
  type Profile,
  sandbox,
} from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import {
  column,
  pick,
  type ResultFields,
  readFields,
  renderJson,
  renderResults,
  wordOf,
} from '../../ui/text/result-fields.ts'
import { renderFields } from '../../ui/text/table.ts'
import { removeStoredKey } from './key.ts'
import type { ProfileShowOptions, TestOptions } from './spec.ts'

type Json = { readonly json: boolean }

export const listProfiles = async (context: Context, { json }: Json): Promise<void> => {
  const { rows, used, failure, saved } = await readRows(context)
  const text = json
    ? renderJson(rows.map((row) => readFields(profileFields, row)))
    : renderResults(profileFields, rows, viewOf(context))
  context.stdout.write(text)
  if (used !== undefined) writeNote(context, `${describeSelected(used)}\n`)
  else if (failure !== undefined) context.stderr.warn(`no account is selected: ${sanitize(failure.message)}`)
  else if (!json) printNoneInUse(context, saved)
}

/** Without a name, the account that a command would use. */
export const showProfile = async (
  context: Context,
  options: Json & Pick<ProfileShowOptions, 'name'>,
): Promise<void> => {
  const { name, json } = options
  const { rows, used, failure, saved } = await readRows(context)
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
  if (json) await showProfile(context, { name, json })
  else context.stderr.write(`The profile ${name} is now in use\n`)
}

export const removeProfile = async (context: Context, { name, json }: Named): Promise<void> => {
  const profiles = profilesOf(context)
  const removed = profiles.get(name)
  const wasCurrent = profiles.current()?.name === name
  await profiles.remove(name)
  if (json) {
    const result = { name, currentName: profiles.current()?.name }
    context.stdout.write(renderJson(readFields(removedFields, result)))
  } else {
    context.stderr.write(`The profile ${name} was removed\n`)
    if (wasCurrent) printNoneInUse(context, profiles.list())
  }
  await removeStoredKey(context, removed)
}

const printNoneInUse = (context: Context, profiles: readonly Profile[]): void => {
  const { fix, advice } = writeRemedy(adviseUse(profiles), context.suggest)
  const use = fix === undefined ? '' : ` To use one: ${fix}`
  writeNote(context, `No profile is in use.${use}\n${advice}\n`)
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

type Rows = {
  readonly rows: readonly ProfileRow[]
  readonly saved: readonly Profile[]
  /** The account that a command would use. */
  readonly used?: ProfileRow
  /** Why a command would fail, except that no profile is in use. */
  readonly failure?: Failure
}

const readRows = async (context: Context): Promise<Rows> => {
  const profiles = profilesOf(context)
  const saved = profiles.list()
  const rows = [builtIn, ...saved.map((each) => rowOf(each, undefined))]
  const selector = findSelector(context)
  try {
    const account = await findAccount(context)
    const row = rows.find(({ name }) => name === account.name)
    const used = {
      ...describeAccount(account, row, context),
      current: true,
      selectedBy: selector ?? (account.kind === 'sandbox' && account.isDefault ? 'default' : 'profile use'),
    }
    return { rows: row === undefined ? [...rows, used] : rows.with(rows.indexOf(row), used), saved, used }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isNoneInUse = selector === undefined && (await findProfileInUse(context, profiles)) === undefined
    return { rows, saved, ...(isNoneInUse && error.details.field === undefined ? {} : { failure: error }) }
  }
}

const builtIn: ProfileRow = { name: sandbox, current: false, builtIn: true, credential: 'none needed' }

/** Undefined if no variable selects an account. In the order of `resolveAccount`. */
const findSelector = ({ environment }: Context): Selector | undefined =>
  (['ORDERCTL_PROFILE', baseUrlName] as const).find((name) => environment[name] !== undefined)

/** Without a key, it is still the account that a command would name. */
const findAccount = async (context: Context): Promise<Account> => {
  // The row says which key is used.
  const quiet = { onWarning: () => {} }
  try {
    return await accountOf(context, { profile: undefined, allowHttp: false }, quiet)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'credentials') throw error
    return accountOf(context, { profile: undefined, allowHttp: false }, { ...quiet, needsKey: false })
  }
}

/** Variables override the settings of a profile, unless they belong to a different account. */
const describeAccount = (
  account: Account,
  row: ProfileRow | undefined,
  { environment }: Context,
): ProfileRow => {
  if (account.kind === 'sandbox') return builtIn
  const { name, baseUrl, account: declared, auth } = account
  const isByVariable =
    environment[keyName] !== undefined && account.getKnownKey?.() === environment[keyName].trim()
  return {
    ...(row ?? { name, builtIn: false, credential: `none: ${keyName} is not set` }),
    ...{ current: true, baseUrl, account: declared, auth: formatAuth(auth) },
    ...(isByVariable ? { credential: `key, in ${keyName}`, keyStore: undefined } : {}),
  }
}

export const rowOf = (
  { credential, journalPasswordCommand, allowHttp: _, ...settings }: Profile,
  current: string | undefined,
): ProfileRow => ({
  ...settings,
  current: settings.name === current,
  builtIn: false,
  ...(credential === undefined ? { credential: 'none' } : credentials[credential.kind]),
  journalCredential: journalPasswordCommand === undefined ? undefined : runCommand,
})

const runCommand = 'command, run when needed'

const credentials: Readonly<Record<Credential['kind'], Pick<ProfileRow, 'credential' | 'keyStore'>>> = {
  key: { credential: 'key, in profiles.json', keyStore: 'file' },
  system: { credential: 'key, in the credential store', keyStore: 'system' },
  command: { credential: runCommand },
}

export const testProfile = async (context: Context, { name, ...options }: TestOptions): Promise<void> => {
  const session = { ...options, profile: name }
  const account = await accountOf(context, session)
  const response = await testAccount(context, account, session)
  context.stdout.write(
    options.json
      ? renderJson(readFields(testedFields, { name: account.name, response }))
      : describeSuccess(response),
  )
}

/** Tests a profile that is not saved yet. Returns the text of success. */
export const testUnsaved = async (context: Context, profile: Profile): Promise<string> => {
  const runCommand = (line: string) => runCredentialCommand(line, context)
  const readKey = (item: KeyItem) => readStoredKey(context, item)
  const account = resolveService({ environment: {}, runCommand, readStoredKey: readKey }, profile)
  const options = { allowHttp: false, debug: false, json: false }
  return describeSuccess(await testAccount(context, account, options))
}

const describeSuccess = (response: string): string =>
  `ok: the service did not refuse the key (${sanitize(response)} for an unknown order)\n`

/** Returns the response. Throws if it does not show that the address and the key work. */
const testAccount = async (context: Context, account: Account, options: SessionOptions): Promise<string> => {
  await using session = await openSession(context, options, account)
  printAccount(context, account)
  const { end } = session.waiting.begin(() => 'asking the service')
  const { response } = await probeAccount(session.api, account.name, context.interrupted).finally(end)
  if (response instanceof Error) throw response
  return response
}

/** What selected an account: a variable, the command `profile use`, or nothing. */
type Selector = 'ORDERCTL_PROFILE' | 'ORDERCTL_BASE_URL' | 'profile use' | 'default'

/** `auth` is the value of --auth. */
type ProfileRow = Pick<
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
const describeSelected = ({ name, selectedBy = 'default' }: ProfileRow): string =>
  `Commands use ${sanitize(name)}, selected by ${selectors[selectedBy]}`

const builtInAddress = 'built in: no real money'

export const profileFields: ResultFields<ProfileRow> = [
  column('current', 'flag', 'commands use it', ({ current }) => current, {
    title: 'USED',
    cell: ({ current }) => (current ? '*' : ''),
  }),
  ['name', 'text', 'its name', ({ name }) => name, { title: 'PROFILE' }],
  ['builtIn', 'flag', 'the sandbox', ({ builtIn }) => builtIn],
  column('baseUrl', 'text', 'the address of the service', ({ baseUrl }) => baseUrl, {
    title: 'ADDRESS',
    cell: ({ baseUrl = builtInAddress }) => baseUrl,
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
