// The rows of a batch and its limits, and the identity of a product as text.
import { type Decimal, decimal, formatDecimal } from '../../../contract/decimal.ts'
import type { CsvFormat, HeaderColumn, StoredRow } from '../../../journal/batches/batch.ts'

export type Product = { readonly sku: string; readonly quote: Decimal; readonly productType: string }

export type BatchRow = Product & {
  /** The line of the file, the item of a JSON array, or 0 for a product of a flag. */
  readonly line: number
  readonly quantity: number
  /** The texts of the other columns, in the order of the columns. */
  readonly cells: readonly string[]
  /** See StoredRow. */
  readonly given?: readonly string[]
}

export type BatchRows = {
  readonly columns: readonly string[]
  /** All columns of the input, in its order. */
  readonly header?: readonly HeaderColumn[]
  readonly format?: CsvFormat
  readonly rows: readonly BatchRow[]
}

export const toBatchRows = (stored: readonly StoredRow[]): BatchRow[] =>
  stored.map((row) => ({ ...row, quote: decimal(row.quote) }))

export const batchLimits = { rows: 100_000, cards: 500_000 } as const

/** Returns a function that returns the same text for equal products only. It formats each quote object once. */
export const createKeyReader = (): ((product: Product) => string) => {
  const formatQuote = createQuoteFormatter()
  // Neither a SKU nor a type holds a line break.
  return ({ sku, quote, productType }) => `${sku}\n${productType}\n${formatQuote(quote)}`
}

/** 25, 25.0 and 2.5e1 are one text. */
export const createQuoteFormatter = (): ((quote: Decimal) => string) => {
  const texts = new Map<Decimal, string>()
  return (quote) => {
    const known = texts.get(quote)
    if (known !== undefined) return known
    const text = formatDecimal(quote)
    texts.set(quote, text)
    return text
  }
}
