// How the columns of a file were read, so that a user notices a wrong or missing column before money is spent.
import { sanitize } from '../../../ui/terminal/text.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { describeCount } from '../../../ui/text/formats.ts'
import type { ResultFields } from '../../../ui/text/result-fields.ts'
import { listFirst, renderFields, renderNextSection, wrapFields } from '../../../ui/text/table.ts'

export type ColumnReading = {
  /** Of a workbook. `of`: the number of visible sheets. */
  readonly sheet?: { readonly name: string; readonly of: number } | undefined
  readonly columns: Readonly<Record<'sku' | 'quote' | 'quantity' | 'productType', string | undefined>>
  /** Whether the numbers of the file have decimal commas. */
  readonly hasDecimalCommas: boolean
  readonly kept: readonly string[]
  /** The number of rows with an empty cell in a column that has a default. */
  readonly empty: Readonly<Record<'quantity' | 'productType', number>>
  /** Where the type of a product comes from if its row has none: 'the sandbox'. */
  readonly typesOf: string | undefined
  /** A column that may be the type of the products. */
  readonly likelyType: string | undefined
}

export const readingFields: ResultFields<ColumnReading> = [
  ['sku', ({ columns }) => columns.sku],
  ['quote', ({ columns }) => columns.quote],
  ['quantity', ({ columns }) => columns.quantity],
  ['productType', ({ columns }) => columns.productType],
  ['kept', ({ kept }) => kept],
]

const maxKept = 20

/** Begins with an empty line. */
export const renderReading = (reading: ColumnReading, view: View): string => {
  const { sheet, columns, hasDecimalCommas, kept, empty, typesOf, likelyType } = reading
  const type = typesOf === undefined ? 'fixed' : `the type in ${typesOf}`
  const describe = (column: string | undefined, default_: string, count: number): string => {
    if (column === undefined) return `no column: ${default_}`
    return count === 0 ? column : `${column} (${describeCount(count, 'empty cell')}: ${default_})`
  }
  const hint =
    likelyType === undefined || columns.productType !== undefined || typesOf !== undefined
      ? undefined
      : `To use '${likelyType}': ${view.suggest.flags({ map: `productType=${likelyType}` })}`
  const names = listFirst(kept, maxKept, (more) => `and ${more} more`)
  const texts: Readonly<Record<string, string | undefined>> = {
    sheet: sheet && (sheet.of > 1 ? `${sheet.name}, one of ${sheet.of} sheets` : sheet.name),
    sku: columns.sku,
    quote: columns.quote && columns.quote + (hasDecimalCommas ? ' (with decimal commas)' : ''),
    quantity: describe(columns.quantity, '1 card a row', empty.quantity),
    productType: describe(columns.productType, type, empty.productType),
    '': hint,
    others: names.length === 0 ? undefined : `${names.join(', ')} (kept for the export)`,
  }
  const fields = Object.entries(texts).map(([name, text]) => [name, text && sanitize(text)] as const)
  return renderNextSection('Columns', renderFields(wrapFields(fields, view.width), view), view)
}
