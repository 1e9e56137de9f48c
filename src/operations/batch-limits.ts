// The rows of a batch and its limits, what its name may be, and the identity of a product as text.

import { isLabel } from '../contract/limits.ts'
import type { StoredRow } from '../journal/batches/batches.ts'
import type { CsvFormat, HeaderColumn } from '../journal/tables/batches.ts'

/** The quote is a text of formatDecimal, so 25, 25.0 and 2.5e1 are equal. */
export type RowProduct = Pick<StoredRow, 'sku' | 'productType' | 'quote'>

/** `line` is the line of the file, the number of the item in a JSON array, or 0 for a product of a flag. */
export type BatchRow = Omit<StoredRow, 'row'>

export type BatchRows = {
  readonly columns: readonly string[]
  /** All columns of the input, in its order. */
  readonly header?: readonly HeaderColumn[]
  readonly format?: CsvFormat
  readonly rows: readonly BatchRow[]
}

export const batchLimits = { rows: 100_000, cards: 500_000 } as const

/** Only equal products have the same key, because neither a SKU nor a type contains a line break. */
export const formatProductKey = ({ sku, productType, quote }: RowProduct): string =>
  `${sku}\n${productType}\n${quote}`

const maxNameLength = 60

export const batchNameForm =
  `1 to ${maxNameLength} characters, without '/', control or invisible characters, ` +
  "not beginning with '-' or '@'"

export const normalizeBatchName = (name: string): string => name.trim().normalize('NFC')

// Invisible characters, and spaces that look like a common space.
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb[\p{Zs}--[ ]]]/v

export const isBatchName = (name: string): boolean =>
  isLabel(name) &&
  [...normalizeBatchName(name)].length <= maxNameLength &&
  !/^\s*[-@]|\//.test(name) &&
  !invisible.test(name)

/** The id that batch/plan.ts computes. */
export const isPlanId = (text: string): boolean => /^bat_[0-9a-hjkmnp-tv-z]{32}$/.test(text)
