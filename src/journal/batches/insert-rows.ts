// Saves the rows of a plan, and the cards that they want.
import type { Statements, Value } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { StoredRow } from './batch.ts'

export type PlannedRows = {
  readonly rows: Iterable<Omit<StoredRow, 'row'>>
  /** The slot of each card, in the order of the rows. */
  readonly slotOf: (card: number) => number
}

export const insertRows = async (
  statements: Statements,
  batch: number,
  { rows, slotOf }: PlannedRows,
): Promise<void> => {
  const cards: Value[][] = []
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT', 'BIGINT', 'TEXT'],
    listRows(batch, rows, (row) => cards.push([batch, cards.length, row, slotOf(cards.length), 'wanted'])),
    (list) =>
      `INSERT INTO batch_rows (batch, row, line, sku, product_type, quote, quantity, cells)
       SELECT * FROM ${list} AS rows`,
  )
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT'],
    cards,
    (list) => `INSERT INTO batch_cards (batch, card, row, slot, state) SELECT * FROM ${list} AS cards`,
  )
}

function* listRows(
  batch: number,
  rows: PlannedRows['rows'],
  addCard: (row: number) => void,
): Generator<readonly Value[]> {
  let row = 0
  for (const { line, sku, productType, quote, quantity, cells } of rows) {
    yield [batch, row, line, sku, productType, quote, quantity, JSON.stringify(cells)]
    for (let left = quantity; left > 0; left -= 1) addCard(row)
    row += 1
  }
}
