// An order in the journal and the calls that were made for it: how a row is read, and how orders and calls are found, also in
// a transaction that locks them. A damaged column does not hide the others: it is reported and gets a value that cannot lead
// to a second purchase. The newest order comes first.

import type { AccountId } from '../../contract/account-id.ts'
import { parseProducts } from '../../contract/order/ordered-products.ts'
import { foldReference, isSameReference } from '../../contract/order/reference.ts'
import type { Access, DamagedRow, WriteAccess } from '../access.ts'
import { accountValues, findOwn, matchAccounts, ofSameAccount, readAccountCondition } from '../accounts.ts'
import type { Row as StoredRow, Values } from '../database/database.ts'
import { calls, orders } from '../tables/orders.ts'
import {
  type Column,
  count,
  flag,
  isAmount,
  isText,
  isTime,
  type RowOf,
  type Table,
  time,
} from '../tables/table.ts'
import { isReadableRequest } from './products.ts'
import {
  isHolding,
  isNeverCreated,
  isPendingCreate,
  isUnprovenOrder,
  unsettledCondition,
} from './standings.ts'

/** The profile and address in use, and the account that they lead to. */
export type Owner = {
  readonly profile: string
  /** The service's base URL; `sandbox:` for the embedded service. */
  readonly origin: string
  readonly account: AccountId
}

/** tables/orders.ts describes each field of these two. */
export type Entry = RowOf<typeof orders>
export type Call = RowOf<typeof calls>

/** Whether the order has this reference. A damaged reference holds the references that have its fold. */
export const hasReference = (
  { reference = '', referenceFold }: Pick<Entry, 'reference' | 'referenceFold'>,
  wanted: string,
): boolean =>
  referenceFold === undefined || referenceFold === foldReference(reference)
    ? isSameReference(reference, wanted)
    : referenceFold === foldReference(wanted)

/** The columns whose values cannot be read. Absent if there are none. */
export type Damage = { readonly damage?: readonly string[] }

/** An order and its calls. */
export type Known = { readonly entry: Entry & Damage; readonly calls: readonly Call[] }

/** A call whose intent is on disk, as the process that makes it has it. */
export type StartedCall = {
  readonly kind: 'started'
  readonly operation: Call['operation']
  /** The numbers of the order and the call. */
  readonly order: number
  readonly call: number
  readonly id: string
  readonly startedAt: number
  /** For people. */
  readonly name: string
}

/** `name`: the order id, or the reference of an order without one. */
export const toStarted = (
  { id, operation, orderNumber: order, number: call, startedAt }: Call,
  name: string,
): StartedCall => ({ kind: 'started', operation, order, call, id, startedAt, name })

export const isStarted = (start: unknown): start is StartedCall =>
  (start as Partial<StartedCall> | undefined)?.kind === 'started'

type Columns = Pick<Table, 'columns'>

/** Columns that queries compute. */
const computed: Table['columns'] = { count, is_own: flag, database_now: time }

/** What replaces a word that the column does not allow: it assumes that the call may have spent. */
const cautious = new Map<string, string | null>([
  ['operation', 'confirm'],
  ['outcome', 'unknown'],
  ['standing', 'confirming'],
  ['void_reason', 'expired'],
  ['result', null],
  ['placed_with', 'mcp'],
  ['settled', null],
  ['decision', null],
])

/** What replaces NULL: an undamaged row never has NULL in such a column. */
const readNull = (name: string, column: Column): string | number | null => {
  const isRequired = column.isNotNull === true || column.generatedAs !== undefined
  if (!isRequired || column.only !== undefined) return null
  return isText(column) ? (cautious.get(name) ?? '?') : Number.NaN
}

const toText = (value: unknown): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)

const readJson = (text: unknown, { read }: NonNullable<Column['json']>): unknown => {
  try {
    return read(JSON.parse(toText(text)))
  } catch {
    return undefined
  }
}

const isSound = (stored: unknown, value: string | number | bigint | null, { type }: Column): boolean => {
  if (stored === null || typeof value !== 'number') return value === stored
  return type === 'time' ? isTime(value) : Number.isSafeInteger(value)
}

const fieldNames = new Map<string, string>()

/** Remembers each name: a batch may have many thousand rows. */
const toFieldName = (column: string): string => {
  const known = fieldNames.get(column)
  if (known !== undefined) return known
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  fieldNames.set(column, name)
  return name
}

/** The value, or what replaces a damaged one. */
const readValue = (name: string, stored: unknown, column: Column): string | number | bigint | null => {
  if (stored === null) return readNull(name, column)
  // A damaged number of millionths may be any amount.
  if (column.type === 'millionths') return typeof stored === 'bigint' && stored >= 0n ? stored : null
  if (!isText(column)) return ['bigint', 'number'].includes(typeof stored) ? Number(stored) : Number.NaN
  const text = toText(stored)
  const replacement = cautious.get(name)
  return replacement === undefined || column.words?.includes(text) ? text : replacement
}

/** Converts column names to camel case. Omits NULL values, and columns that are not of the table. */
export const fromRow = <Value>(row: StoredRow, { columns }: Columns = orders): Value & Damage => {
  const fields: Record<string, unknown> = {}
  const damage: string[] = []
  for (const name in row) {
    const stored = row[name]
    const column = columns[name] ?? computed[name]
    if (column === undefined) continue
    if (column.json !== undefined && (stored !== null || column.isNotNull)) {
      const value = readJson(stored, column.json)
      if (value === undefined) damage.push(name)
      fields[toFieldName(name)] = value ?? column.json.damaged
      continue
    }
    const value = readValue(name, stored, column)
    if (value !== null) fields[toFieldName(name)] = value
    if (!isSound(stored, value, column)) damage.push(name)
  }
  return (damage.length === 0 ? fields : { ...fields, damage }) as Value & Damage
}

const amounts = ['total', 'charged'] as const

/** The order's cost, or what it counts as against limits, cannot be read. */
export const hasDamagedAmount = (entry: Entry): boolean =>
  findDamaged(entry).some((name) => ['total', 'charged', 'counts'].includes(name))

/** The columns that cannot be read, or whose text is malformed. */
const findDamaged = (row: Partial<Entry> & Damage): string[] => {
  const { damage = [], request, products, reference = '', referenceFold } = row
  const unreadable = [
    ...(request === undefined || isReadableRequest(request) ? [] : ['request']),
    ...amounts.filter((name) => row[name] !== undefined && !isAmount(row[name])),
    ...(row.counts === undefined && isAmount(row.total) ? ['counts'] : []),
    ...(products === undefined || parseProducts(products) !== undefined ? [] : ['products']),
    ...(referenceFold === undefined || foldReference(reference) === referenceFold ? [] : ['reference']),
  ]
  return [...new Set([...damage, ...unreadable])]
}

/** Selects rows. Reports those that are damaged, if they are of one table. `add` returns further fields. */
export const selectRows = async <Row>(
  { all, report }: Pick<Access, 'all' | 'report'>,
  table: Columns & { readonly name?: string },
  sql: string,
  values?: Values,
  add?: (row: StoredRow) => Partial<Row>,
): Promise<(Row & Damage)[]> => {
  const kind = kinds[table.name ?? '']
  return (await all(sql, values)).map((row) => {
    const value = fromRow<Row>(row, table)
    const columns = kind === undefined ? [] : findDamaged(value)
    const { number, orderId, orderNumber, card, row: line } = value as Partial<Entry & Call & CardOfBatch>
    if (kind !== undefined && columns.length > 0)
      report({ kind, number: orderNumber ?? number ?? card ?? line, orderId, columns })
    return add === undefined ? value : { ...value, ...add(row) }
  })
}

type CardOfBatch = { readonly card: number; readonly row: number }

const kinds: Readonly<Record<string, DamagedRow['kind']>> = {
  ...{ orders: 'order', calls: 'call', reveals: 'reveal' },
  ...{ batches: 'batch', batch_rows: 'row', batch_cards: 'card' },
}

export type Query = {
  readonly where: string
  readonly values?: Values
  readonly index?: string | undefined
  readonly order?: string
  readonly limit?: number | undefined
}

export const selectEntries = (access: Access, query: Query): Promise<Entry[]> =>
  selectRows(access, orders, writeQuery(access, query), query.values)

/** An order that is locked until the end of the transaction, and the time by the database's clock. */
export type LockedEntry = Entry & Damage & { readonly databaseNow: number }

/** Call it within a transaction. In SQLite, that locks all orders. */
const selectLocked = (access: WriteAccess, query: Query): Promise<LockedEntry[]> => {
  const { forUpdateOf, now } = access.dialect
  const sql = `${writeQuery(access, query, `, ${now} AS database_now`)} ${forUpdateOf('orders')}`
  return selectRows<LockedEntry>(access, orders, sql, query.values)
}

/** Not `*`: the conditions would be computed for each row. */
const columns = Object.keys(orders.columns)
  .filter((name) => name !== 'written_by')
  .join(', ')

const writeQuery = (
  { dialect }: Access,
  { where, index, order = 'number DESC', limit }: Query,
  more = '',
): string =>
  `SELECT ${columns}, ${dialect.writtenBy}${more} FROM orders ${index === undefined ? '' : dialect.indexedBy(index)}
    WHERE ${where} ORDER BY ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}`

const byNumber = (number: number): Query => ({ where: 'number = $number', values: { number } })

export const getOrder = async (access: Access, number: number): Promise<Entry | undefined> =>
  (await selectEntries(access, byNumber(number)))[0]

/** Returns the order as it is now. */
export const readLocked = async (access: WriteAccess, number: number): Promise<LockedEntry | undefined> =>
  (await selectLocked(access, byNumber(number)))[0]

const byId = (account: AccountId, orderId: string): Query => ({
  where: `order_id = $orderId AND ${ofSameAccount}`,
  values: { ...accountValues(account), orderId },
  // On its own, SQLite reads all orders of the account.
  index: 'orders_by_id',
})

export const lockById = (access: WriteAccess, account: AccountId, orderId: string): Promise<LockedEntry[]> =>
  selectLocked(access, byId(account, orderId))

/** An order whose id belongs to a different order comes last. */
const ownFirst = "NOT holds AND void_reason = 'stranger', number DESC"

type OfAccount = Pick<Owner, 'account'>

/** Returns several, if the service used the id twice, or a response to create was repeated. */
export const findAllById = (access: Access, { account }: OfAccount, orderId: string, limit?: number) =>
  selectEntries(access, { ...byId(account, orderId), order: ownFirst, limit })

/** Returns the newest, if the service used the id twice. */
export const findOrderById = async (access: Access, owner: OfAccount, orderId: string) =>
  (await findAllById(access, owner, orderId, 1))[0]

/** The id of the newest order that a batch placed for the same cards after this one. */
export const findSuccessor = async (access: Access, { batch = 0, slot = 0, number }: Entry) => {
  const where = 'batch = $batch AND slot = $slot AND number > $number'
  return (await selectEntries(access, { where, values: { batch, slot, number }, limit: 1 }))[0]?.orderId
}

export const findOrdersOnAnyAccount = (access: Access, orderId: string): Promise<Entry[]> =>
  selectEntries(access, { where: 'order_id = $orderId', values: { orderId } })

/** The orders of the account that satisfy the condition. */
export const selectOf = async (
  access: Access,
  account: AccountId,
  condition: string,
  more?: Partial<Query>,
): Promise<Entry[]> =>
  selectEntries(access, {
    ...more,
    where: `${await readAccountCondition(access, account)} AND ${condition}`,
  })

export const findNewest = (access: Access, { account }: OfAccount, limit: number) =>
  selectOf(access, account, 'TRUE', { order: 'placed_at DESC, number DESC', limit })

/** Orders that reconcile checks or reports. */
export const findUnsettled = (access: Access, { account }: OfAccount) =>
  selectOf(access, account, unsettledCondition, { index: 'unsettled_by_account' })

/** Orders whose confirm may have spent, or may still. */
export const findUnproven = (access: Access, { account }: OfAccount) =>
  selectOf(access, account, `unproven AND ${unsettledCondition}`, { index: 'unsettled_by_account' })

/** Other orders of the same account with this id. */
export const findOthersById = async (access: Access, order: number, orderId: string) => {
  const others = {
    where: 'order_id = $orderId AND number <> $order',
    values: { orderId, order },
    index: 'orders_by_id',
  }
  // Usually there are none. PostgreSQL takes much longer to plan the query with accounts.
  if ((await selectEntries(access, others)).length === 0) return []
  return selectEntries(access, {
    ...others,
    where: `${others.where} AND account IN (
      SELECT other.number FROM orders JOIN accounts AS own ON own.number = orders.account
      JOIN accounts AS other ON ${matchAccounts('other', 'own')}
      WHERE orders.number = $order)`,
  })
}

/** Also selects references that only look like this one. */
const byFold = (account: AccountId, reference: string): Query => ({
  where: `reference_fold = $fold AND ${ofSameAccount}`,
  values: { ...accountValues(account), fold: foldReference(reference) },
})

/** Includes void orders. */
export const findAllByReference = async (access: Access, account: AccountId, reference: string) =>
  (await selectEntries(access, byFold(account, reference))).filter((entry) => hasReference(entry, reference))

/** Orders that were created, or may have been. */
export const findByReference = async (access: Access, { account }: OfAccount, reference: string) =>
  (await findAllByReference(access, account, reference)).filter((entry) => !isNeverCreated(entry))

/** References in use that differ from this one only in case, spaces or invisible characters. */
export const findSimilarReferences = async (access: Access, account: AccountId, reference: string) => {
  const holders = (await selectEntries(access, byFold(account, reference))).filter(isHolding)
  const similar = holders.flatMap((entry) => entry.reference ?? [])
  return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
}

/**
 * A different order with this reference that is confirmed, or may still be. `known` is undefined for an order that is
 * not in the journal.
 */
export const findRival = async (
  access: Access,
  account: AccountId,
  reference: string,
  known?: Pick<Entry, 'number' | 'batch'>,
): Promise<Entry | undefined> => {
  const all = await findAllByReference(access, account, reference)
  return all.find((other) => {
    if (other.number === known?.number || other.duplicate === 1) return false
    if (isUnprovenOrder(other)) return true
    // The order to confirm would not count against the batch's cap, which buys the cards itself.
    if (known?.batch === undefined && other.batch !== undefined) return true
    if (!isHolding(other)) return false
    return other.standing === 'confirmed' || known === undefined || other.number > known.number
  })
}

/** The oldest first. */
export const listCalls = (access: Access, order: number): Promise<Call[]> =>
  selectRows(access, calls, 'SELECT * FROM calls WHERE order_number = $order ORDER BY number', { order })

/** A different process may still be waiting for the response to its create. */
export const isCreating = async (access: Access, { number }: Entry, at: number): Promise<boolean> =>
  (await listCalls(access, number)).some((call) => isPendingCreate(call, at))

/** The order with its calls. Undefined if the journal does not contain it. */
export const readKnown = async (access: Access, number: number): Promise<Known | undefined> => {
  const [entry, calls] = await Promise.all([getOrder(access, number), listCalls(access, number)])
  return entry && { entry, calls }
}

/**
 * The newest order that was created with orderctl, or may have been. In a shared journal, by the same user. With
 * `isAttempt`, also an order that was refused or never sent.
 */
export const findLast = async (access: Access, account: AccountId, { isAttempt = false } = {}) => {
  const { isOwn, values } = findOwn(access)
  const [found] = await selectEntries(access, {
    where: `${await readAccountCondition(access, account)}
      AND request IS NOT NULL AND placed_with IS NULL AND ${isAttempt ? 'TRUE' : 'NOT attempt'} AND ${isOwn}`,
    values,
    limit: 1,
  })
  return found
}
