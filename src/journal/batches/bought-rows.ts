// Finds the rows of a batch that an order buys cards for. Reports by a column of the input need them.
import { unknownKey } from '../../contract/report/report.ts'
import type { Access } from '../access.ts'
import type { Row } from '../database/database.ts'
import { fromRow } from '../orders/row.ts'
import { chargedCondition } from '../orders/standings.ts'
import { batches, batchRows } from '../tables/batches.ts'
import { count } from '../tables/table.ts'
import type { Batch, StoredRow } from './batch.ts'

/** Cards of an order that have the same product and the same values of the columns. */
export type BoughtRow = {
  readonly sku: string
  readonly cells: readonly (string | undefined)[]
  readonly cards: number
  readonly delivered: number
  readonly duplicates: number
}

/**
 * Returns the rows by the number of their order. A cell is undefined if the batch has no such column. An order whose cards
 * were ordered again has a row without cards.
 */
export const selectBoughtRows = async (
  { all, dialect }: Access,
  period: { readonly from: number; readonly until: number },
  columns: readonly string[],
): Promise<Map<number, BoughtRow[]>> => {
  const rows = await all(
    `SELECT orders.number AS number, columns, sku, cells, count(sku) AS cards,
       sum(CASE WHEN batch_cards.state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
       sum(CASE WHEN batch_cards.state = 'duplicate' THEN 1 ELSE 0 END) AS duplicates
     FROM orders ${dialect.indexedBy('charged_orders')}
       JOIN batches ON batches.number = orders.batch
       LEFT JOIN batch_cards ${dialect.indexedBy('batch_cards_by_slot')}
         ON batch_cards.batch = orders.batch AND batch_cards.slot = orders.slot
       LEFT JOIN batch_rows ON batch_rows.batch = batch_cards.batch AND batch_rows.row = batch_cards.row
     WHERE ${chargedCondition} GROUP BY orders.number, columns, sku, cells`,
    period,
  )
  return Map.groupBy(
    rows.map((row) => toBoughtRow(row, columns)),
    ({ number }) => number,
  )
}

const foldColumn = (name: string): string => name.trim().toLowerCase()
export const isSameColumn = (one: string, other: string): boolean => foldColumn(one) === foldColumn(other)

const joined = {
  columns: { ...batches.columns, ...batchRows.columns, cards: count, delivered: count, duplicates: count },
}

type Joined = Omit<BoughtRow, 'cells'> & Pick<StoredRow, 'cells'> & Pick<Batch, 'number' | 'columns'>

const toBoughtRow = (row: Row, names: readonly string[]) => {
  const { columns, cells: texts, ...bought } = fromRow<Joined>(row, joined)
  const cells = names.map((name) => {
    const index = columns.findIndex((column) => isSameColumn(column, name))
    return row.cells === null && index !== -1 ? unknownKey : texts[index]?.trim()
  })
  return { ...bought, cells }
}

/** Lists the names of the columns of all batches, without the columns that describe products. */
export const listBatchColumns = async ({ all }: Access): Promise<string[]> => {
  const rows = await all('SELECT DISTINCT columns FROM batches')
  const found = rows.flatMap((row) => fromRow<Pick<Batch, 'columns'>>(row, batches).columns)
  return [...new Set(found)].toSorted()
}
