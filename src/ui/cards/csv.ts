// Renders the cards of an order as CSV (RFC 4180). A spreadsheet treats every cell as text.
import { formatDecimal } from '../../contract/money/decimal.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { sanitize } from '../terminal/text.ts'
import { type ResultFields, writeField } from '../text/result-fields.ts'
import type { OwnedCard } from './card-fields.ts'
import type { CardOrder } from './cards.ts'

// Where a formula may start, also in full width: a program that expects a different separator splits a cell at each one.
// An apostrophe there is escaped too, so that a reader can always remove exactly one.
const startsFormula = /(?=[=+\-@'＝＋－＠])(?<=(?:^|[,;\t\r\n])["\s]*)|^(?=[\t\r\n])/g

const escapeFormula = (text: string): string => text.replaceAll(startsFormula, "'")

// Every cell is quoted, so that other separators and leading or trailing spaces cannot change it.
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

// Amounts and phone numbers, which run nothing.
const isNumber = /^[+-][\d .,()/-]*$/

/** An absent cell is empty. The cells of `given` come first. Their numbers are left as the user wrote them. */
export const renderCsvLine = (
  cells: readonly (string | undefined)[],
  given: readonly (string | undefined)[] = [],
  { separator, lineEnd }: Pick<CsvFormat, 'separator' | 'lineEnd'> = { separator: ',', lineEnd: '\r\n' },
): string => {
  const added = cells.map((cell = '') => escapeFormula(cell))
  const kept = given.map((cell = '') => (isNumber.test(cell) ? cell : escapeFormula(cell)))
  return `${[...kept, ...added].map(quote).join(separator)}${lineEnd}`
}

/** Rows of equal length, titles first. On a terminal, no cell can control it. Files and pipes get the exact text. */
export const renderCsvTable = (
  rows: readonly (readonly (string | undefined)[])[],
  { isTerminal }: { readonly isTerminal: boolean },
): string =>
  rows.map((cells) => renderCsvLine(isTerminal ? cells.map((cell = '') => sanitize(cell)) : cells)).join('')

/** One line for each row, with the columns of the fields that CSV shows. */
export const renderResultsCsv = <Row>(
  fields: ResultFields<Row>,
  rows: readonly Row[],
  output: { readonly isTerminal: boolean },
): string => {
  const columns = fields.filter(([, , , , shown]) => shown?.csv !== undefined)
  const lines = rows.map((row) =>
    columns.map((field) => {
      const { csvText } = field[4] ?? {}
      return csvText === undefined ? writeField(field, row) : csvText(row)
    }),
  )
  return renderCsvTable([columns.map(([, , , , shown]) => shown?.csv), ...lines], output)
}

const columns = 'order,reference,sku,card,name,value,currency,code,pin,serial,link,expires,row'.split(',')

/** UTF-8 without a byte order mark: most programs would read it as part of the first column's name. */
export const renderCsv = ({ uid, reference, products, redeem, cards }: CardOrder): string => {
  const all: readonly OwnedCard[] = cards ?? findCards(redeem)
  const rows = all.map(({ sku, value, currency, code, pin, serial, link, expires, row }, index) => {
    const product = [sku, String(index + 1), products.get(sku)?.shopItem.name, value && formatDecimal(value)]
    return [uid, reference, ...product, currency, code, pin, serial, link, expires, row]
  })
  return renderCsvTable([columns, ...rows], { isTerminal: false })
}
