// Renders the cards of an order as CSV (RFC 4180). A spreadsheet treats every cell as text.
import { formatDecimal } from '../../contract/decimal.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { CardOrder } from './cards.ts'

// Characters that start a formula, also in full width. A leading apostrophe is escaped too, so that a reader can always
// remove exactly one.
const startsFormula = /^[=+\-@\t\r\n'＝＋－＠]/

const escapeFormula = (text: string): string => (startsFormula.test(text) ? `'${text}` : text)

// Every cell is quoted, so that other separators and leading or trailing spaces cannot change it.
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

type Cells = readonly (string | undefined)[]

// Amounts and phone numbers, which run nothing.
const isNumber = /^[+-][\d .,()/-]*$/

/** An absent cell is empty. The cells of `given` come first. Their numbers are left as the user wrote them. */
export const renderCsvLine = (
  cells: Cells,
  given: Cells = [],
  { separator, lineEnd }: { readonly separator: string; readonly lineEnd: string } = defaultFormat,
): string => {
  const added = cells.map((cell = '') => escapeFormula(cell))
  const kept = given.map((cell = '') => (isNumber.test(cell) ? cell : escapeFormula(cell)))
  return `${[...kept, ...added].map(quote).join(separator)}${lineEnd}`
}

const defaultFormat = { separator: ',', lineEnd: '\r\n' }

const columns = 'order,reference,sku,card,name,value,currency,code,pin,serial,link,expires'.split(',')

/** UTF-8 without a byte order mark: most programs would read it as part of the first column's name. */
export const renderCsv = ({ uid, reference, products, redeem }: CardOrder): string =>
  [
    columns,
    ...findCards(redeem).map(({ sku, value, currency, code, pin, serial, link, expires }, index) => [
      uid,
      reference,
      sku,
      String(index + 1),
      products.get(sku)?.shopItem.name,
      value && formatDecimal(value),
      currency,
      code,
      pin,
      serial,
      link,
      expires,
    ]),
  ]
    .map((cells) => renderCsvLine(cells))
    .join('')
