// The rows of a batch, and the limits of a batch.
import type { Decimal } from '../../../contract/decimal.ts'
import type { HeaderColumn } from '../../../journal/batches/batch.ts'

export type Product = {
  readonly sku: string
  readonly quote: Decimal
  readonly productType: string
}

export type BatchRow = Product & {
  /** The line of the file, the item of a JSON array, or 0 for a product of a flag. */
  readonly line: number
  readonly quantity: number
  /** The texts of the other columns, in the order of the columns. */
  readonly cells: readonly string[]
}

export type BatchRows = {
  readonly columns: readonly string[]
  /** All columns of the input, in its order. */
  readonly header?: readonly HeaderColumn[]
  readonly rows: readonly BatchRow[]
}

export const batchLimits = { rows: 100_000, cards: 500_000 } as const
