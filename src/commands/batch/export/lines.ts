// The lines of an exported table: one for each card, in the order of the input.
import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../../contract/decimal.ts'
import type { Batch, HeaderColumn, StoredRow } from '../../../journal/batches/batch.ts'
import type { CollectedCard } from '../../../operations/batch/collect-cards.ts'
import type { ExportedCard } from './exported-card.ts'

export type ExportedBatch = {
  readonly batch: Batch
  readonly rows: readonly StoredRow[]
  readonly cards: readonly CollectedCard<ExportedCard>[]
}

type Value = string | number | Decimal | undefined

const addedColumns = ['order_id', 'reference', 'state', 'error', 'code', 'pin', 'serial', 'link', 'expires']
const ownNames = new Set(addedColumns)

/** An input column with the name of another column gets a prefix, so that each name is unique. */
export const nameColumns = (columns: readonly string[]): readonly string[] => {
  const renamed = columns.map((column) => {
    let name = column
    while (ownNames.has(name) || (name !== column && columns.includes(name))) name = `input_${name}`
    return name
  })
  return [...renamed, ...addedColumns]
}

export const isLost = ({ outcome, kept }: CollectedCard<ExportedCard>): boolean =>
  outcome === 'delivered' && kept === undefined

/** The values of the columns, in their order. */
export function* listLines({ batch, rows, cards }: ExportedBatch): Generator<readonly Value[]> {
  const sources = batch.header.map(({ name, field }) => field ?? batch.columns.indexOf(name))
  for (const each of cards) {
    const { outcome, order, kept } = each
    const row = rows[each.row]
    const cells = sources.map((source) => row && readCell(row, source))
    const error = isLost(each) ? 'the service no longer shows this card' : each.error
    const { code, pin, serial, link, expires } = kept?.card ?? {}
    yield [
      ...cells,
      ...[order?.orderId, order?.reference, outcome, error],
      ...[code, pin, serial, link, expires],
    ]
  }
}

const readCell = (row: StoredRow, column: HeaderColumn['field'] | number): Value => {
  if (typeof column === 'number') return row.cells[column]
  return column === 'quote' ? (parseDecimal(row.quote) ?? row.quote) : column && row[column]
}

export const formatValue = (value: Value): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  return value === undefined ? undefined : String(value)
}
