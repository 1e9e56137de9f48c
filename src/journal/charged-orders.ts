// Reads the orders that were charged, each with its values for the keys of a report. Reports by a column of the input also need
// the rows of batches.

import { dayMs } from '../contract/duration.ts'
import { decimal, zero } from '../contract/money/decimal.ts'
import {
  type ChargeKind,
  type Report,
  type ReportKey,
  readColumnKey,
  type Share,
  unknownKey,
} from '../contract/report/report.ts'
import { findPeriod, formatUtcDay } from '../contract/time.ts'
import { nameActor } from '../text/actor-name.ts'
import type { Access } from './access.ts'
import { type Actor, findActors } from './accounts.ts'
import { findBatchNames } from './batches/batch-names.ts'
import type { Batch, StoredRow } from './batches/batches.ts'
import { type Entry, selectRows } from './orders/entries.ts'
import { type Filter, selectFiltered } from './orders/list-orders.ts'
import { chargedAt, chargedCondition, isUnprovenOrder, spentCondition } from './orders/standings.ts'
import { batches, batchRows } from './tables/batches.ts'
import { orders } from './tables/orders.ts'
import { count, isAmount } from './tables/table.ts'

/** Cards of an order with the same product and the same values of the columns. */
export type BoughtRow = {
  readonly sku: string
  readonly cells: readonly (string | undefined)[]
  readonly cards: number
  readonly delivered: number
  readonly duplicates: number
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

export type ChargedOrder = Share & {
  /** One value for each key. Undefined if there is none, and for a product and a column: see `products` and `rows`. */
  readonly values: readonly (string | undefined)[]
  /** See formatProducts. */
  readonly products: string | undefined
  /** The rows of its batch for which the order buys cards. */
  readonly rows: readonly BoughtRow[] | undefined
  /** For the key `person`. */
  readonly actor: Actor | undefined
  readonly currency: string
  readonly kind: ChargeKind
  /** 1 if its amount is not in the journal. */
  readonly unpriced: number
}

type ChargeQuery = Pick<Report, 'by' | 'from' | 'until'> &
  Pick<Filter, 'profile' | 'isSandbox' | 'batches'> & {
    /** Only delivered orders whose codes nobody has taken. */
    readonly isUnrevealed?: boolean
  }

type Row = Entry & { readonly chargedTime: number }

/** Leaves out orders whose amount cannot be read. The journal reports each of them, and those with unreadable products. */
export const readChargedOrders = async (access: Access, query: ChargeQuery): Promise<ChargedOrder[]> => {
  const { by, from, until, profile, isSandbox, batches, isUnrevealed = false } = query
  const { indexedBy, writtenBy } = access.dialect
  const period = { from, until }
  const conditions = [chargedCondition, spentCondition, isUnrevealed ? unrevealed : 'TRUE']
  const { where, values } = selectFiltered({ profile, isSandbox, batches }, ...conditions)
  const sql = `SELECT number, order_id, reference, profile, batch, wallet, standing, state, result, total, charged, counts,
      products, cards, delivered, duplicate_cards, actor, ${writtenBy} AS written_by, ${chargedAt} AS charged_time
    FROM orders ${indexedBy('charged_orders')} WHERE ${where}`
  const found = await selectRows<Row>(access, orders, sql, { ...values, ...period }, (row) => ({
    chargedTime: Number(row.charged_time),
  }))
  const names = by.map(readColumnKey)
  const hasColumn = names.some((name) => name !== undefined)
  const boughtRows = hasColumn ? await selectBoughtRows(access, period, names) : undefined
  const batchNames = by.includes('batch') ? await findBatchNames(access, found) : undefined
  const findActor = by.includes('person') ? await findActors(access, found) : undefined
  return found.flatMap((row) => {
    const { charged, total, products, wallet: currency = '?', cards = 0, delivered = 0 } = row
    const amount = charged ?? total
    if (amount !== undefined && !isAmount(amount)) return []
    const actor = findActor?.(row)
    const duplicates = row.duplicateCards ?? 0
    return {
      ...{ actor, products, currency, cards, duplicates, kind: findKind(row), orders: 1 },
      delivered: delivered - duplicates,
      charged: amount === undefined ? zero : decimal(amount),
      unpriced: amount === undefined ? 1 : 0,
      values: by.map((key) => readValue(key, row, actor, batchNames?.get(row.batch)?.name)),
      rows: boughtRows?.get(row.number),
    }
  })
}

const findKind = (order: Row): ChargeKind => {
  const { result = 'open' } = order
  if (isUnprovenOrder(order)) return 'unknown'
  return result === 'rejected' ? 'failed' : result
}

const readValue = (
  key: ReportKey,
  { chargedTime: at, wallet, profile, reference, orderId, state }: Row,
  actor: Actor | undefined,
  batch: string | undefined,
): string | undefined => {
  switch (key) {
    case 'day':
      return formatUtcDay(at)
    case 'week':
      return formatWeek(at)
    case 'month':
      return formatUtcDay(at).slice(0, 7)
    case 'person':
      return actor && nameActor(actor)
    case 'order':
      return orderId
    default: {
      const values: Readonly<Record<string, string | undefined>> = {
        wallet,
        profile,
        batch,
        reference,
        state,
      }
      return values[key]
    }
  }
}

/** ISO 8601: a week has the year and number of its Thursday. */
const formatWeek = (at: number): string => {
  const thursday = findPeriod('week', at).from + 3 * dayMs
  const year = new Date(thursday).getUTCFullYear()
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1
  return `${year}-W${String(number).padStart(2, '0')}`
}

/** A search for a code shows nothing. */
const unrevealed = `delivered > 0 AND NOT EXISTS (SELECT 1 FROM reveals
  WHERE reveals.order_id = orders.order_id AND how <> 'find')`
