// Finds the rows of a batch for which an order buys cards. Reports by a column of the input need them.
import { unknownKey } from '../../contract/report/report.ts'
import type { Access } from '../access.ts'
import { selectRows } from '../orders/row.ts'
import { chargedCondition } from '../orders/standings.ts'
import { batches, batchRows } from '../tables/batches.ts'
import { count } from '../tables/table.ts'
import type { Batch, StoredRow } from './batch.ts'

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
export const selectBoughtRows = async (
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
