// Finds the rows of a batch that an order buys cards for. Reports by a column of the input need them.
import { unknownKey } from '../../contract/report/report.ts'
import type { Row, Statements } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import { chargedCondition } from '../orders/standings.ts'
import { readTexts } from './batch-rows.ts'

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
  { all, dialect }: Statements,
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
    rows.map((row) => ({
      number: Number(row.number),
      sku: String(row.sku),
      cells: readCells(row, columns),
      cards: Number(row.cards),
      delivered: Number(row.delivered),
      duplicates: Number(row.duplicates),
    })),
    ({ number }) => number,
  )
}

const foldColumn = (name: string): string => name.trim().toLowerCase()
export const isSameColumn = (one: string, other: string): boolean => foldColumn(one) === foldColumn(other)

const readCells = ({ columns, cells }: Row, names: readonly string[]): (string | undefined)[] => {
  const [all, texts] = [readTexts(columns), readTexts(cells)]
  return names.map((name) => {
    const index = all.findIndex((column) => isSameColumn(column, name))
    return cells === null && index !== -1 ? unknownKey : texts[index]?.trim()
  })
}

/** Lists the names of the columns of all batches, without the columns that describe products. */
export const listBatchColumns = async ({ read }: Journal): Promise<string[]> => {
  const rows = await read(({ statements: { all } }) => all('SELECT DISTINCT columns FROM batches'))
  return [...new Set(rows.flatMap(({ columns }) => readTexts(columns)))].toSorted()
}
