// What TAB offers for a flag or an argument. The table at the end chooses: the source that the command names, or that of the
// placeholder. Most sources read the journal of the account in use, without warnings, which would break the typed line.

import type { Argument, Command, Option } from 'commander'
import { findAccountWithoutKey, readProfiles } from '../../app/account.ts'
import { chooseJournal, findJournalFile, ownerOf, parseJournalAddress } from '../../app/journals.ts'
import { joinProducts, type KnownProduct, listOrdered } from '../../app/known-products.ts'
import { readProductList } from '../../app/product-list.ts'
import { isSelective, isUsable } from '../../app/usable-orders.ts'
import type { Completed } from '../../cli/read-options.ts'
import type { Context } from '../../context.ts'
import { lastWord } from '../../contract/order/reference.ts'
import { reportKeys } from '../../contract/report.ts'
import { stateNames } from '../../contract/states.ts'
import { budgetKinds, within } from '../../contract/time.ts'
import { listActorNames } from '../../journal/accounts.ts'
import { isNeverCreated, journalStates } from '../../journal/orders/standings.ts'
import {
  type Reader,
  type RecentBatch,
  type RecentOrder,
  readFromFile,
  readNewestBatches,
  readNewestOrders,
} from '../../journal/read-only.ts'
import type { Account } from '../../profiles/account.ts'
import { sandbox } from '../../profiles/store.ts'
import { findWordStyle } from '../../ui/screens/state.ts'
import { formatRelative } from '../../ui/text/formats.ts'
import { type FieldType, findInner, listPaths } from '../../ui/text/result-fields.ts'

export type Completion = { readonly value: string; readonly description?: string | undefined }

export type CompletionList = {
  readonly candidates: readonly Completion[]
  /** `nospace`: the word goes on after the value. `files`, `command`: the shell completes files or commands itself. */
  readonly next?: 'nospace' | 'files' | 'command'
}

export type Tree = {
  readonly program: Command
  /** The topics of `help`. */
  readonly topics: readonly string[]
  /** The fields of each result, by command and flag. Only `--fields` needs them. */
  readonly loadResults: () => Promise<ReadonlyMap<string, FieldType>>
}

export type TypedLine = {
  readonly command: Command
  /** Such as `profile add`. Empty for the program itself. */
  readonly path: string
  /** The flags before the word, repeated ones included. */
  readonly flags: readonly { readonly option: Option; readonly value?: string }[]
  readonly operands: readonly string[]
  /** After `--`, no word is a flag. */
  readonly isLiteral: boolean
  /** The flag whose value is being typed. `prefix` is the text before the value in the same word: `--state=`. */
  readonly openFlag?: { readonly option: Option; readonly prefix: string }
  /** The typed part of the word, without the prefix. */
  readonly word: string
}

export type Asked = { readonly context: Context; readonly line: TypedLine; readonly tree: Tree }

type Found = readonly Completion[] | CompletionList

type CandidateSource = (asked: Asked) => Found | Promise<Found>

const toCandidates = (values: readonly string[]): Completion[] => values.map((value) => ({ value }))

const findAccount = ({ context, line }: Asked): Promise<Account | undefined> => {
  const named = line.flags.findLast(({ option }) => option.long === '--profile')
  return findAccountWithoutKey(context, named?.value, { onWarning: () => {} })
}

type Query<Row> = (reader: Reader) => Promise<readonly Row[]>

/** Reads the journal of the account in use. */
const queryJournal = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> => {
  const { context } = asked
  const account = await findAccount(asked)
  if (account === undefined) return []
  const owner = { ...ownerOf(account), identify: () => ({ osUser: context.user(), host: context.host() }) }
  const place = chooseJournal(context, account)
  if (place.kind === 'shared') return queryShared(context, place.text, owner, query)
  const file = findJournalFile(context)
  return file === undefined ? [] : readFromFile(file, owner, query)
}

/** For the connection and all queries. */
const limitMs = 150

/** Only if the server responds at once, and without a prompt or a program. */
const queryShared = async <Row>(
  context: Context,
  text: string,
  owner: Pick<Reader, 'account' | 'identify'>,
  query: Query<Row>,
): Promise<readonly Row[]> => {
  const { openPostgres } = await import('../../postgres/open.ts')
  const { createPostgresDatabase } = await import('../../journal/shared-journal.ts')
  const { environment, random, clock } = context
  const postgres = openPostgres({
    ...{ address: parseJournalAddress(context, text), environment, random },
    sleep: (ms) => clock.sleep(ms),
    warn: () => {},
    limits: { connections: 1 },
  })
  return within(clock, limitMs, undefined, (limited) => {
    // Ends all attempts. An idle connection does not keep the process alive.
    limited.addEventListener('abort', () => void postgres.close())
    return query({ ...owner, ...createPostgresDatabase(postgres) })
  })
}

/** The name comes last, because a shell cuts off the end of a long description. */
const joinParts = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(', ')

const describe = ({ context: { clock } }: Asked, state: string, at: number, name?: string): string =>
  joinParts(state, formatRelative(at, clock.now()), name)

/** `@last`, ids, `ref:REFERENCE` and, for the commands that take several orders, `batch:NAME`. */
const findOrders: CandidateSource = (asked) =>
  queryJournal(asked, async (reader) => {
    const { path, word } = asked.line
    const orders = nameOrders(asked, await readNewestOrders(reader, word, { isAll: isSelective(path) }))
    if (!['get', 'watch', 'reconcile'].includes(path)) return orders
    const batches = (await readNewestBatches(reader)).filter(({ startedAt }) => startedAt !== undefined)
    return [...orders, ...batches.flatMap((batch) => offerBatch(asked, batch, `batch:${batch.name}`))]
  })

const nameOrders = (asked: Asked, orders: readonly RecentOrder[]): Completion[] => {
  const { path } = asked.line
  const offer = (value: string | undefined, order: RecentOrder, name: string | undefined): Completion[] =>
    value !== undefined && isUsable(path, order)
      ? [{ value, description: describe(asked, order.state, order.placedAt, name) }]
      : []
  const last = findLast(path, orders)
  return [
    // A created order whose id is not known is not replaced by an older one.
    ...(last?.orderId === undefined ? [] : offer(lastWord, last, last.orderId)),
    ...orders.flatMap((order) => [
      ...offer(order.orderId, order, order.reference),
      ...offer(order.reference && `ref:${order.reference}`, order, order.orderId),
    ]),
  ]
}

/** After an attempt that created no order, `confirm @last` is refused. */
const findLast = (path: string, orders: readonly RecentOrder[]): RecentOrder | undefined =>
  orders.find((order) => order.isOwn === 1 && (path === 'confirm' || !isNeverCreated(order)))

/** The commands that cannot use a cancelled batch. */
const needsOpenBatch = ['batch run', 'batch approve', 'batch cancel']

const offerBatch = (asked: Asked, batch: RecentBatch, value: string, name?: string): Completion[] => {
  const { plannedAt, startedAt, cancelledAt } = batch
  if (cancelledAt !== undefined && needsOpenBatch.includes(asked.line.path)) return []
  const state = cancelledAt === undefined ? undefined : 'cancelled'
  const age = formatRelative(startedAt ?? plannedAt, asked.context.clock.now())
  // Not a state, because TAB does not count the cards that are left.
  const begun = `${startedAt === undefined ? 'planned' : 'started'} ${age}`
  return [{ value, description: joinParts(state, begun, name) }]
}

/** `@last` and the names, newest first. The `@last` of a flag may be a batch of another account. */
const findBatches = (asked: Asked): Promise<readonly Completion[]> =>
  queryJournal(asked, async (reader) => {
    const all = await readNewestBatches(reader)
    const last = asked.line.openFlag === undefined ? all.find(({ isOwn }) => isOwn === 1) : undefined
    return [
      ...(last === undefined ? [] : offerBatch(asked, last, lastWord, last.name)),
      ...all.flatMap((batch) => offerBatch(asked, batch, batch.name)),
    ]
  })

/** The keys of a report, and the columns of the newest batches. */
const findReportKeys: CandidateSource = async (asked) => {
  const batches = await queryJournal(asked, readNewestBatches)
  const columns = batches.flatMap((batch) => batch.columns.map((name) => `column:${name}`))
  return toCandidates([...reportKeys, ...columns])
}

const readList = ({ context }: Asked, account: Account | undefined) =>
  account && readProductList(context, account, false)

const readOrders = (asked: Asked) =>
  queryJournal(asked, (reader) => readNewestOrders(reader, '', { hasRequest: true }))

/** An order that was never created proves neither its products nor its wallet. */
const hasId = ({ orderId }: RecentOrder): boolean => orderId !== undefined

const readOrdered = async (asked: Asked) => (await readOrders(asked)).filter(hasId)

/** The ordered products. If the line names one of these orders, only its products. */
const findSkus: CandidateSource = async (asked) => {
  const { path, operands } = asked.line
  const [name = ''] = operands
  const all = await readOrders(asked)
  const orders = all.filter(hasId)
  const named =
    name === lastWord
      ? findLast(path, all)
      : orders.find(({ orderId, reference }) => [orderId, `ref:${reference}`].includes(name))
  return toCandidates([...listOrdered(named === undefined ? orders : [named].filter(hasId)).keys()])
}

const offerProduct = ({ sku, name, type, price, lastQuote }: KnownProduct): Completion => {
  // The current price, not that of the last order.
  if (type === 'fixed')
    return { value: `${sku}:${price?.least ?? lastQuote}`, description: price ? name : 'last ordered amount' }
  const range = price && `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const parts = [`${sku}:QUOTE/${type}`, name, range]
  return { value: `${sku}:`, description: parts.filter((each) => each !== undefined).join(', ') }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
const findProducts: CandidateSource = async (asked) => {
  const list = await readList(asked, await findAccount(asked))
  // A journal that cannot be read hides no product of the list.
  const products = joinProducts(await readOrdered(asked).catch(() => []), list)
  return { candidates: products.map(offerProduct), next: 'nospace' }
}

/** For the sandbox, its wallets. For a profile, its default wallet, then the wallets of its orders. */
const findWallets: CandidateSource = async (asked) => {
  const account = await findAccount(asked)
  if (account?.kind === 'sandbox') return toCandidates((await readList(asked, account))?.wallets ?? [])
  const used = (await readOrdered(asked)).map(({ wallet }) => wallet)
  return toCandidates([account?.wallet, ...used].filter((each) => each !== undefined))
}

const describeState = (value: string): Completion => ({ value, description: findWordStyle(value).meaning })

const listProfiles = ({ context }: Pick<Asked, 'context'>): Completion[] =>
  readProfiles(context).map(({ name, baseUrl }) => ({ value: name, description: baseUrl }))

/** The fields that the list does not have yet. */
const findFields: CandidateSource = async ({ line: { word, flags, path }, tree }) => {
  const resultsByCommand = await tree.loadResults()
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const taken = new Set(before.split(','))
  const chosen = flags.map(({ option }) => resultsByCommand.get(`${path} ${option.long}`))
  const all = chosen.find((fields) => fields !== undefined) ?? resultsByCommand.get(path) ?? []
  const candidates = listPaths(findInner(all) ?? [])
    .filter((field) => !taken.has(field.path))
    .map((field) => ({ value: `${before}${field.path}`, description: field.meaning }))
  return { candidates, next: 'nospace' }
}

/** A value or count may follow. */
const findFaults: CandidateSource = async () => {
  const { listFaultForms } = await import('../../service/faults.ts')
  const candidates = listFaultForms().map(({ fault, summary }) => ({ value: fault, description: summary }))
  return { candidates, next: 'nospace' }
}

const findAccountNames: CandidateSource = ({ context }) =>
  readProfiles(context).map(({ account = '', name }) => ({ value: account, description: `profile ${name}` }))

/** The roles and login names of everyone who wrote to the journal. */
const findActors: CandidateSource = (asked) =>
  queryJournal(asked, async (reader) => toCandidates(await listActorNames(reader, 100)))

/** Placeholders of values that orderctl cannot know. */
const freeForm =
  'address amount budget characters column count duration field=column from/to=rate host id key limit new number path role secret text url when'

/** The key is `completes` in the spec of a command, or else the placeholder. */
const sources: ReadonlyMap<string, CandidateSource> = new Map<string, CandidateSource>([
  ...freeForm.split(' ').map((name): [string, CandidateSource] => [name, () => []]),
  ['accounts', findAccountNames],
  ['actors', findActors],
  ['batch', findBatches],
  // Only the shell knows the installed programs.
  ['command', ({ line }) => (line.isLiteral ? { candidates: [], next: 'command' } : [])],
  ['currency', findWallets],
  ['fault', findFaults],
  ['file', () => ({ candidates: [], next: 'files' })],
  ['file-or-batch', async (asked) => ({ candidates: await findBatches(asked), next: 'files' })],
  ['how', () => toCandidates(['bearer', 'basic', 'header:', 'query:'])],
  ['name', (asked) => [{ value: sandbox, description: 'built in: no real money' }, ...listProfiles(asked)]],
  ['order', findOrders],
  ['paths', findFields],
  ['period', () => toCandidates(budgetKinds)],
  ['product', findProducts],
  ['profiles-saved', listProfiles],
  ['report-keys', findReportKeys],
  ['service-states', () => stateNames.map(describeState)],
  ['sku', findSkus],
  ['state', () => [...stateNames, ...journalStates].map(describeState)],
  ['time', () => toCandidates(['1h', '24h', '7d', '30d', '90d'])],
  ['topic', ({ tree, line }) => (line.operands.length === 0 ? toCandidates(tree.topics) : [])],
])

/** Returns undefined if the value has no source. */
export const findSource = (value: (Option | Argument) & Completed): CandidateSource | undefined => {
  const placeholder = 'flags' in value ? (/[<[](.*)[>\]]$/.exec(value.flags)?.[1] ?? '') : value.name()
  const name = value.completes ?? placeholder
  return name.includes('|') ? () => toCandidates(name.split('|')) : sources.get(name)
}
