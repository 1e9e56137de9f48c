// Reads the orders that were charged, grouped by the keys of a report and by their amounts. The database counts them, so that
// the result is small however many orders there are. Reports by a column of the input also need the rows of batches.

import { decimal, zero } from '../contract/money/decimal.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import {
  type ChargeKind,
  isSplitKey,
  type Report,
  type ReportKey,
  readColumnKey,
  type Share,
  unknownKey,
} from '../contract/report.ts'
import { dayMs, formatUtcDay } from '../contract/time.ts'
import { nameActor } from '../text/words.ts'
import type { Access } from './access.ts'
import { readActor } from './accounts.ts'
import type { Batch, StoredRow } from './batches/batches.ts'
import type { Dialect, Row, Values } from './database/database.ts'
import { selectEntries, selectRows } from './orders/entries.ts'
import { type Filter, selectFiltered } from './orders/list-orders.ts'
import { chargedAt, chargedCondition, spentCondition } from './orders/standings.ts'
import { batches, batchRows } from './tables/batches.ts'
import { count, isAmount } from './tables/table.ts'

/** Cards of an order with the same product and the same values of the columns. */
export type BoughtRow = Pick<Share, 'cards' | 'delivered' | 'duplicates'> & {
  readonly sku: string
  readonly cells: readonly (string | undefined)[]
}

/**
 * Returns the rows by the number of their order, with one cell for each name. A cell is undefined without a name, or if
 * the batch does not contain the column. An order whose cards were ordered again has a row without cards.
 */
const selectBoughtRows = async (
  access: Access,
  period: { readonly from: number; readonly until: number },
  names: readonly (string | undefined)[],
): Promise<Map<number, BoughtRow[]>> => {
  const { indexedBy } = access.dialect
  const sql = `SELECT orders.number AS number, columns, sku, cells, count(sku) AS cards,
      sum(CASE WHEN batch_cards.state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
      sum(CASE WHEN batch_cards.state = 'duplicate' THEN 1 ELSE 0 END) AS duplicates
    FROM orders ${indexedBy('charged_orders')}
      JOIN batches ON batches.number = orders.batch
      LEFT JOIN batch_cards ${indexedBy('batch_cards_by_slot')}
        ON batch_cards.batch = orders.batch AND batch_cards.slot = orders.slot
      LEFT JOIN batch_rows ON batch_rows.batch = batch_cards.batch AND batch_rows.row = batch_cards.row
    WHERE ${chargedCondition} GROUP BY orders.number, columns, sku, cells`
  const found = await selectRows<Joined>(access, joined, sql, period, ({ cells }) => ({
    hasCards: cells !== null,
  }))
  const rows = found.map(({ columns, cells, hasCards, ...row }) => ({
    ...row,
    cells: names.map((name) => {
      if (name === undefined) return undefined
      const index = columns.findIndex((column) => isSameColumn(column, name))
      return hasCards || index === -1 ? cells[index]?.trim() : unknownKey
    }),
  }))
  return Map.groupBy(rows, ({ number }) => number)
}

const joined = {
  columns: { ...batches.columns, ...batchRows.columns, cards: count, delivered: count, duplicates: count },
}

type Joined = Omit<BoughtRow, 'cells'> &
  Pick<StoredRow, 'cells'> &
  Pick<Batch, 'number' | 'columns'> & { readonly hasCards: boolean }

const foldColumn = (name: string): string => name.trim().toLowerCase()
export const isSameColumn = (one: string, other: string): boolean => foldColumn(one) === foldColumn(other)

/** Lists the column names of all batches, without the columns that describe products. */
export const listBatchColumns = async (access: Access): Promise<string[]> => {
  const sql = 'SELECT DISTINCT columns FROM batches'
  const found = await selectRows<Pick<Batch, 'columns'>>(access, batches, sql)
  return [...new Set(found.flatMap(({ columns }) => columns))].toSorted()
}

/** Orders with the same values and the same amount. */
export type ChargeGroup = Share & {
  /** One value for each key. Undefined if there is none, and for a product and a column: see `products` and `rows`. */
  readonly values: readonly (string | undefined)[]
  /** See formatProducts. */
  readonly products: string | undefined
  /** The rows of its batch for which the order buys cards. */
  readonly rows: readonly BoughtRow[] | undefined
  readonly currency: string
  readonly kind: ChargeKind
  /** The orders whose amount is not in the journal. */
  readonly unpriced: number
}

type ChargeQuery = Pick<Report, 'by' | 'from' | 'until'> &
  Pick<Filter, 'profile' | 'isSandbox' | 'batches'> & {
    /** Only delivered orders whose codes nobody has taken. */
    readonly isUnrevealed?: boolean
  }

/** Leaves out orders whose amount cannot be read. The journal reports each of them, and those with unreadable products. */
export const readChargeGroups = async (access: Access, query: ChargeQuery): Promise<ChargeGroup[]> => {
  const { by, from, until, profile, isSandbox, batches, isUnrevealed = false } = query
  const period = { from, until }
  const conditions = [chargedCondition, spentCondition, isUnrevealed ? unrevealed : 'TRUE']
  const { where, values } = selectFiltered({ profile, isSandbox, batches }, ...conditions)
  const rows = await access.all(createChargeSql(access.dialect, by, where), { ...values, ...period })
  const damaged = rows.flatMap(({ amount, products }) => [
    ...(isUnreadable(amount) ? [String(amount)] : []),
    ...(products != null && parseProducts(String(products)) === undefined ? [String(products)] : []),
  ])
  if (damaged.length > 0) await reportDamaged(access, period, damaged.slice(0, maxReported))
  const names = by.map(readColumnKey)
  const hasColumn = names.some((name) => name !== undefined)
  const boughtRows = hasColumn ? await selectBoughtRows(access, period, names) : undefined
  return rows
    .filter(({ amount }) => !isUnreadable(amount))
    .map((row) => ({
      ...readGroup(row),
      values: by.map((key, index) => readValue(key, row[`key${index}`], row)),
      rows: boughtRows?.get(Number(row.number)),
    }))
}

const isUnreadable = (amount: unknown): boolean => amount !== null && !isAmount(amount)

/** A journal with so many damaged orders needs different help. */
const maxReported = 100

const reportDamaged = (access: Access, period: Values, texts: readonly string[]) => {
  const values = Object.fromEntries(texts.map((text, index) => [`text${index}`, text]))
  const list = Object.keys(values).map((name) => `$${name}`)
  return selectEntries(access, {
    where: `${chargedCondition} AND (${amountOf} IN (${list}) OR products IN (${list}))`,
    values: { ...period, ...values },
    limit: maxReported,
  })
}

const readGroup = ({ products, wallet, kind, amount, ...row }: Row) => {
  const orders = Number(row.orders)
  const duplicates = Number(row.duplicates)
  return {
    products: products == null ? undefined : String(products),
    currency: wallet === null ? '?' : String(wallet),
    kind: kind as ChargeKind,
    orders,
    cards: Number(row.cards),
    delivered: Number(row.delivered) - duplicates,
    duplicates,
    charged: amount === null ? zero : decimal(String(amount)).times(String(orders)),
    unpriced: amount === null ? orders : 0,
  }
}

/** The database computes the day of each time. */
const readValue = (key: ReportKey, value: unknown, row: Row): string | undefined => {
  if (key === 'person') {
    const actor = readActor(row)
    return actor && nameActor(actor)
  }
  if (value == null) return undefined
  const at = Number(value) * dayMs
  if (key === 'day') return formatUtcDay(at)
  return key === 'month' ? formatUtcDay(at).slice(0, 7) : String(value)
}

const amountOf = 'coalesce(charged, total)'

/** SQL for a ChargeKind. */
const kindOf = `CASE WHEN unproven THEN 'unknown' WHEN result IN ('failed', 'rejected') THEN 'failed'
  WHEN result IN ('partial', 'successful') THEN result ELSE 'open' END`

const day = `${chargedAt} / ${dayMs}`

const ofActor = (column: string): string =>
  `(SELECT ${column} FROM actors WHERE actors.number = orders.actor) AS ${column}`

const keyColumns: Readonly<Partial<Record<ReportKey, string>>> = {
  day,
  month: day,
  profile: 'profile',
  batch: '(SELECT name FROM batches WHERE batches.number = orders.batch)',
  reference: 'reference',
  order: 'order_id',
  state: 'state',
}

/** A search for a code shows nothing. */
const unrevealed = `delivered > 0 AND NOT EXISTS (SELECT 1 FROM reveals
  WHERE reveals.order_id = orders.order_id AND how <> 'find')`

const createChargeSql = (dialect: Dialect, by: readonly ReportKey[], where: string): string => {
  const keys = by.flatMap((key, index) => {
    const column = keyColumns[key]
    return column === undefined ? [] : [`${column} AS key${index}`]
  })
  const columns = [
    ...keys,
    ...(by.includes('person')
      ? [ofActor('role'), ofActor('os_user'), `${dialect.writtenBy} AS written_by`]
      : []),
    // The amount of an order is split over its products and over the rows of its batch.
    ...(by.some(isSplitKey) ? ['products'] : []),
    ...(by.some((key) => readColumnKey(key) !== undefined) ? ['number'] : []),
    ...['wallet', `${kindOf} AS kind`, `${amountOf} AS amount`],
  ]
  return `SELECT ${columns.join(', ')}, count(*) AS orders, coalesce(sum(cards), 0) AS cards,
      coalesce(sum(delivered), 0) AS delivered, coalesce(sum(duplicate_cards), 0) AS duplicates
    FROM orders ${dialect.indexedBy('charged_orders')} WHERE ${where}
    GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`
}
