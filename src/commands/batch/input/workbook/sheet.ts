// Reads the rows of a sheet: the stored values, never a formula. Refuses what a person would see differently.
import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../../../contract/money/decimal.ts'
import { batchLimits } from '../../../../operations/batch/plan/rows.ts'
import { createTooManyColumns, maxColumns } from '../columns.ts'
import { createTooManyRows, formatCount, type InputError, type RowSink } from '../input.ts'
import { nameCell, readColumn } from './cell-name.ts'
import { type Format, readDate } from './styles.ts'
import { type Attributes, decodeEscapes, isTrue, type Reader } from './xml.ts'

type Context = {
  readonly texts: readonly string[]
  readonly findFormat: (style: string) => Format | undefined
  readonly is1904: boolean
  readonly createError: InputError
}

/** `content`: 'f', 'v' and 'i' for a formula, a value and a text. */
type Cell = { readonly attributes: Attributes; readonly text: string; readonly content: string }

const [maxLine, maxCells] = [1_048_576, 16_384]
/** In points, and in characters. */
const [minHeight, minWidth] = [3, 0.5]

const [rows, row] = ['/worksheet/sheetData', '/worksheet/sheetData/row']
const [cell, value, formula, inline] = [`${row}/c`, `${row}/c/v`, `${row}/c/f`, `${row}/c/is`]
const [text, run, textOfRun, spoken] = [`${inline}/t`, `${inline}/r`, `${inline}/r/t`, `${inline}/rPh/t`]
const [defaults, column] = ['/worksheet/sheetFormatPr', '/worksheet/cols/col']
const merged = '/worksheet/mergeCells/mergeCell'
const contents = [cell, value, formula, inline, text, run, textOfRun, spoken]
const paths = ['/worksheet', defaults, column, rows, row, ...contents, merged]

export const createSheetReader = (context: Context, sink: RowSink): Reader => {
  const { createError } = context
  const hiddenColumns: (readonly [first: number, last: number])[] = []
  let [line, count] = [0, 0]
  let fields: ReturnType<RowSink['setHeaders']> | undefined
  const cells: Cell[] = []
  let current = { text: '', content: '' }

  const closeRow = ({ r, hidden, ht }: Attributes, refuse: (problem: string) => never): void => {
    const next = r === undefined ? line + 1 : Number(/^\d{1,7}$/.exec(r.value)?.[0])
    if (!(next > line && next <= maxLine)) refuse(`a row at a wrong place after line ${line}`)
    line = next
    const values: unknown[] = []
    let [index, problem] = [-1, undefined as string | undefined]
    for (const each of cells.splice(0)) {
      const { r: name } = each.attributes
      const at = name === undefined ? index + 1 : (readColumn(name.value, line) ?? -1)
      if (at <= index || at >= maxCells) refuse(`a cell at a wrong place in line ${line}`)
      index = at
      const isAmount = index === fields?.quote || index === fields?.quantity
      const read = readCell(each, context, index === fields?.sku ? 'sku' : isAmount ? 'amount' : undefined)
      if (read === undefined) continue
      if (index >= maxColumns * 4) throw createTooManyColumns(createError)
      if ('problem' in read) problem ??= `${read.problem} in ${nameCell(index, line)}`
      else values[index] = read.value
    }
    const row = Array.from(values)
    if (row.every(isBlank) && problem === undefined) return
    if (isTrue(hidden) || isBelow(ht, minHeight)) problem = 'is hidden; unhide or delete it'
    if (fields === undefined) {
      const isHidden = (at: number) => hiddenColumns.some(([first, last]) => !(at < first || at > last))
      const hidden = row.findIndex((value, at) => !isBlank(value) && isHidden(at + 1))
      if (hidden !== -1) problem ??= `is hidden in ${nameCell(hidden, line)}`
      if (problem !== undefined) throw createError(`has a header row that ${problem}`, 'Correct the header.')
      fields = sink.setHeaders(row.map((value) => String(value ?? '')))
      return
    }
    count += 1
    // The other rows are not worth the time.
    if (count > batchLimits.rows)
      throw createTooManyRows(`more than ${formatCount(batchLimits.rows)}`, createError)
    sink.addRow(line, problem ?? row)
  }
  const close: Reader['close'] = (path, attributes, more, refuse) => {
    if (path === value) current = { text: more, content: `${current.content}v` }
    else if (path === formula) current.content += 'f'
    else if (path === inline) current.content += 'i'
    else if (path === text || path === textOfRun) current.text += decodeEscapes(more)
    else if (path === cell) {
      if (cells.push({ attributes, ...current }) > maxCells) refuse('too many cells in a row')
      current = { text: '', content: '' }
    } else if (path === row) closeRow(attributes, refuse)
    else if (path === merged) {
      throw createError(`contains merged cells: ${attributes.ref?.value}`, 'Unmerge them and fill each cell.')
    } else if (path === column) {
      const { hidden, width, min, max } = attributes
      if (line > 0) refuse('columns after the rows')
      if (isTrue(hidden) || isBelow(width, minWidth))
        hiddenColumns.push([Number(min?.value), Number(max?.value)])
    } else if (path === defaults) {
      const { zeroHeight, defaultRowHeight, defaultColWidth, baseColWidth } = attributes
      const isHidden = isTrue(zeroHeight) || isBelow(defaultRowHeight, minHeight)
      if (isHidden || isBelow(defaultColWidth ?? baseColWidth, minWidth))
        throw createError('hides rows or columns by default', 'Unhide all rows and columns.')
    }
  }
  return { paths, close }
}

/** Also if it is no number. */
const isBelow = (size: Attributes[string], least: number): boolean =>
  size !== undefined && !(Number(size.value) >= least)

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '')

/** Spreadsheets keep only so many digits of a number. */
const maxDigits = 15

/** Undefined if it is not valid. A number is exact, and a fraction has the digits that a spreadsheet shows. */
const readValue = (type: string, text: string, texts: readonly string[]): string | Decimal | undefined => {
  if (type === 'inlineStr') return text
  if (type === 'str') return decodeEscapes(text)
  if (type === 's') return /^\d+$/.test(text) ? texts[Number(text)] : undefined
  if (type === 'b')
    return new Map([
      ['0', 'FALSE'],
      ['1', 'TRUE'],
    ]).get(text)
  if (type === 'd') return /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/.exec(text)?.[0]
  const number = type === 'n' ? parseDecimal(text.trim().replace(/^(-?)\./, '$10.')) : undefined
  return number?.eq(number.round(0)) === false ? parseDecimal(Number(text).toPrecision(maxDigits)) : number
}

/** Undefined for an empty cell. */
const readCell = (
  { attributes: { s, t }, text, content }: Cell,
  { texts, findFormat, is1904 }: Context,
  field: 'sku' | 'amount' | undefined,
): { readonly value: unknown } | { readonly problem: string } | undefined => {
  const type = t?.value ?? 'n'
  if (!(type === 'inlineStr' ? /^f?i?$/ : /^f?v?$/).test(content))
    return { problem: 'contains several values' }
  if (text === '' && content.startsWith('f') && type !== 'str')
    return { problem: 'contains a formula without a stored value' }
  if (text === '') return undefined
  const value = readValue(type, text, texts)
  const format = findFormat(s?.value ?? '0')
  if (value === undefined || format === undefined)
    return { problem: `contains ${type === 'e' ? 'the error' : 'the invalid value'} ${text.slice(0, 30)}` }
  const isNumber = isDecimal(value)
  const digits = isNumber ? formatDecimal(value) : value
  if (isNumber && /^-?\d{16}/.test(digits)) {
    return {
      problem: `contains a number with more than ${maxDigits} digits, which spreadsheets round (format the cell as text)`,
    }
  }
  if (isNumber && format.isDate && field !== 'sku') return { value: readDate(Number(text), is1904) }
  const { isPlain, decimals, showsTexts } = format
  const showsNumber = (number: Decimal) =>
    field === 'sku' ? isPlain : decimals !== undefined && number.eq(number.round(decimals))
  return field === undefined || (isNumber ? showsNumber(value) : showsTexts && type !== 'd')
    ? { value }
    : {
        problem: `contains ${digits.slice(0, 30)}, which its number format may show differently (format the cell as text, and type it again)`,
      }
}
