// Adds up the orders that were charged, grouped by the keys of a report. The database adds them up, so that the result
// is small however many orders there are.
import { type Decimal, decimal, parseDecimal } from '../contract/money/decimal.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { isSplitKey, type ReportKey, readColumnKey } from '../contract/report/report.ts'
import { dayMs } from '../contract/time/duration.ts'
import type { Access } from './access.ts'
import { type BoughtRow, selectBoughtRows } from './batches/bought-rows.ts'
import type { Dialect, Row, Values } from './database/database.ts'
import { ofSandbox } from './orders/list-orders.ts'
import { selectEntries } from './orders/queries.ts'
import { chargedAt, chargedCondition, spentCondition } from './orders/standings.ts'
import { isAmount, isDecimalSql } from './tables/table.ts'

export type ChargeKind = 'successful' | 'partial' | 'failed' | 'open' | 'unknown'

/** Orders with the same values. */
export type ChargeGroup = {
  /**
   * One value for each key: the days since 1970-01-01, the weeks since 1969-12-29 or the months since March 1900. NULL for
   * a product and for a column: see `products` and `rows`.
   */
  readonly values: readonly (string | number | null)[]
  /** See formatProducts. */
  readonly products: string | null
  /** The rows of its batch for which the order buys cards. */
  readonly rows: readonly BoughtRow[] | undefined
  readonly currency: string
  readonly kind: ChargeKind
  readonly orders: number
  readonly cards: number
  /** Without duplicates. */
  readonly delivered: number
  readonly duplicates: number
  /** The sum of the amounts. Undefined if the journal does not contain them. */
  readonly amount: Decimal | undefined
}

export type ChargeQuery = {
  readonly by: readonly ReportKey[]
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly until: number
  readonly profile?: string | undefined
  readonly isSandbox?: boolean | undefined
  /** The numbers of batches. */
  readonly batches?: readonly number[] | undefined
  /** Only delivered orders whose codes nobody has taken. */
  readonly isUnrevealed?: boolean
}

/** Leaves out orders whose amount cannot be read. The journal reports each of them, and those with unreadable products. */
export const readChargeGroups = async (access: Access, query: ChargeQuery): Promise<ChargeGroup[]> => {
  const rows = await selectGroups(access, query)
  const unreadable = rows
    .flatMap(({ amount, products }) => [
      ...(isUnreadable(amount) ? [amount] : []),
      ...(isUnreadableProduct(products) ? [products] : []),
    ])
    .slice(0, maxReported)
  if (unreadable.length > 0) await selectDamaged(access, query, unreadable.map(String))
  const { by, from, until } = query
  const columns = by.map(readColumnKey).filter((name) => name !== undefined)
  const rowsOf = columns.length === 0 ? undefined : await selectBoughtRows(access, { from, until }, columns)
  return rows
    .filter(({ amount }) => !isUnreadable(amount))
    .map((row) => toGroup(row, by, rowsOf?.get(Number(row.number))))
}

/** A journal with so many damaged orders needs different help. */
const maxReported = 100

const isUnreadable = (amount: unknown): boolean => amount !== null && !isAmount(amount)
const isUnreadableProduct = (products: unknown): boolean =>
  products != null && parseProducts(String(products)) === undefined

const selectDamaged = (access: Access, { from, until }: ChargeQuery, texts: readonly string[]) => {
  const values = Object.fromEntries(texts.map((text, index) => [`text${index}`, text]))
  const list = Object.keys(values).map((name) => `$${name}`)
  return selectEntries(access, {
    where: `${chargedCondition} AND (coalesce(charged, total) IN (${list}) OR products IN (${list}))`,
    values: { from, until, ...values },
    limit: maxReported,
  })
}

const selectGroups = ({ all, dialect }: Access, query: ChargeQuery) => {
  const { by, from, until, profile, isSandbox, batches, isUnrevealed } = query
  const conditions = [
    profile === undefined ? ofSandbox(isSandbox) : 'profile = $profile',
    ...(batches === undefined ? [] : [`batch IN (${batches.join(', ')})`]),
    ...(isUnrevealed === true ? [unrevealed] : []),
  ]
  const values: Values = { from, until, ...(profile === undefined ? {} : { profile }) }
  return all(createChargeSql(dialect, by, conditions.join(' AND ')), values)
}

/** A search for a code shows nothing. */
const unrevealed = `delivered > 0 AND NOT EXISTS (SELECT 1 FROM reveals
  WHERE reveals.order_id = orders.order_id AND how <> 'find')`

const toGroup = (row: Row, by: readonly ReportKey[], rows?: readonly BoughtRow[]): ChargeGroup => ({
  values: by.map((_, index) => toValue(row[`key${index}`])),
  products: (row.products ?? null) as string | null,
  rows,
  currency: row.wallet === null ? '?' : String(row.wallet),
  kind: row.kind as ChargeKind,
  orders: Number(row.orders),
  cards: Number(row.cards),
  delivered: Number(row.delivered) - Number(row.duplicates),
  duplicates: Number(row.duplicates),
  amount: sumAmounts(row),
})

/** `scaled` is the sum. Without it, `amount` is that of each order, and too long for a sum. */
const sumAmounts = ({ scaled, amount, orders }: Row): Decimal | undefined =>
  scaled === null
    ? parseDecimal(String(amount))?.times(String(orders))
    : decimal(`${scaled}e-${chargeDecimals}`)

const toValue = (value: unknown): string | number | null =>
  typeof value === 'bigint' ? Number(value) : (value as string | null)

const day = `${chargedAt} / ${dayMs}`

// Integers, because both databases format dates differently, and slowly. Until March 2100, each fourth year since 1900-03-01
// has 1461 days, and from March on, five months have 153 days.
const marchDay = `(${day} + 25508)`
const marchYear = `((4 * ${marchDay} + 3) / 1461)`
const month = `${marchYear} * 12 + (5 * (${marchDay} - 1461 * ${marchYear} / 4) + 2) / 153`

const keyColumns: Readonly<Partial<Record<ReportKey, (dialect: Dialect) => string>>> = {
  day: () => day,
  week: () => `(${day} + 3) / 7`,
  month: () => month,
  wallet: () => 'wallet',
  // In a shared journal, a different role may have written the order for the actor.
  person: ({ name }) => (name === 'sqlite' ? 'actor' : "concat(actor, ' ', written_by)"),
  profile: () => 'profile',
  batch: () => 'batch',
  reference: () => 'reference',
  order: () => 'order_id',
  state: () => kindOf,
}

/** As nameActor. */
const namePerson = (actor: string, writtenBy: string): string => `coalesce(
  (SELECT CASE WHEN role = ${writtenBy} THEN role ELSE coalesce(role, os_user) || ' (written by ' || ${writtenBy} || ')' END
   FROM actors WHERE actors.number = CAST(nullif(${actor}, '') AS BIGINT)), 'unknown (written by ' || ${writtenBy} || ')')`

/** For the keys that are numbers of other rows. */
const names: Readonly<Partial<Record<ReportKey, (number: string, dialect: Dialect) => string>>> = {
  person: (key, { name }) =>
    name === 'sqlite'
      ? `(SELECT os_user FROM actors WHERE actors.number = ${key})`
      : namePerson(`split_part(${key}, ' ', 1)`, `substr(${key}, strpos(${key}, ' ') + 1)`),
  batch: (number) => `(SELECT name FROM batches WHERE batches.number = ${number})`,
}

/** SQL for a ChargeKind. */
const kindOf = `CASE WHEN standing <> 'confirmed' THEN 'unknown' WHEN result IS NULL THEN 'open'
  WHEN result = 'rejected' THEN 'failed' ELSE result END`

/** The database adds up integers with this many decimals: more than any currency. */
const chargeDecimals = 4

/** The sum of nine thousand of the largest such amounts fits into an integer. */
const maxLength = 11

/**
 * The amount as an integer, or NULL if it has more decimals or cannot be read. A double holds so few digits exactly, and reading one is
 * much faster than changing the text.
 */
const createScaled = ({
  name,
}: Dialect): string => `CASE WHEN size <= ${maxLength} AND ${isDecimalSql[name]('amount')} THEN
  CASE WHEN point = 0 THEN CAST(amount AS BIGINT) * ${10 ** chargeDecimals} WHEN size - point <= ${chargeDecimals}
  THEN CAST(round(CAST(amount AS DOUBLE PRECISION) * ${10 ** chargeDecimals}) AS BIGINT) END END`

/** Without a limit, SQLite would compute the columns of an inner query once for each use. */
const noLimit = 'LIMIT 9223372036854775807'

/** `isSelected` is the condition of the orders. An amount that is too long for a sum is a separate group. */
const createChargeSql = (dialect: Dialect, by: readonly ReportKey[], isSelected: string): string => {
  // The amount of an order is split over the rows of its batch, so each order is a separate group.
  const split = by.some(isSplitKey) ? ['products'] : []
  if (by.some((key) => readColumnKey(key) !== undefined)) split.push('number')
  const keys = [...by.map((_, index) => `key${index}`), ...split].join(', ')
  const keyValues = by.map((key, index) => `${keyColumns[key]?.(dialect) ?? 'NULL'} AS key${index}`)
  const amount = 'coalesce(charged, total)'
  const priced = `SELECT ${[...keyValues, ...split].join(', ')}, wallet, ${kindOf} AS kind, cards, delivered, duplicate_cards,
      ${amount} AS amount, ${dialect.position(amount, '.')} AS point, length(${amount}) AS size
    FROM orders ${dialect.indexedBy('charged_orders')}
    WHERE ${chargedCondition} AND ${spentCondition} AND ${isSelected} ${noLimit}`
  const charges = `SELECT ${keys}, wallet, kind, cards, delivered, duplicate_cards, amount, ${createScaled(dialect)} AS scaled
    FROM (${priced}) AS priced ${noLimit}`
  const columns = by.map((key, index) => {
    const column = `charges.key${index}`
    return { column, shown: `${names[key]?.(column, dialect) ?? column} AS key${index}` }
  })
  const longAmount = 'CASE WHEN scaled IS NULL THEN amount END'
  const groups = [...columns.map(({ column }) => column), ...split, 'wallet', 'kind', longAmount]
  return `SELECT ${[...columns.map(({ shown }) => shown), ...split].join(', ')}, wallet, kind, ${longAmount} AS amount,
      count(*) AS orders, coalesce(sum(cards), 0) AS cards,
      coalesce(sum(delivered), 0) AS delivered, coalesce(sum(duplicate_cards), 0) AS duplicates, sum(scaled) AS scaled
    FROM (${charges}) AS charges
    GROUP BY ${groups.join(', ')}`
}
