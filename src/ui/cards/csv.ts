// Renders lines and tables as CSV (RFC 4180). A spreadsheet treats every cell as text.
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { sanitize } from '../terminal/text.ts'
import { type ResultFields, writeField } from '../text/result-fields.ts'

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

/**
 * One line for each row, with the columns of the fields that CSV shows. On a terminal, no cell can control it. Files and
 * pipes get the exact text.
 */
export const renderResultsCsv = <Row>(
  fields: ResultFields<Row>,
  rows: readonly Row[],
  { isTerminal }: { readonly isTerminal: boolean },
): string => {
  const columns = fields.filter(([, , , , shown]) => shown?.csv !== undefined)
  const lines = rows.map((row) =>
    columns.map((field) => {
      const { csvText } = field[4] ?? {}
      return csvText === undefined ? writeField(field, row) : csvText(row)
    }),
  )
  return [columns.map(([, , , , shown]) => shown?.csv), ...lines]
    .map((cells) => renderCsvLine(isTerminal ? cells.map((cell = '') => sanitize(cell)) : cells))
    .join('')
}
