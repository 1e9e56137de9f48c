// Reads the rows of a sheet: the stored values, never a formula. Shows numbers of days as dates, and 12 as 00012 or 12%, like
// the workbook. Refuses what a person would see differently.

import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../../contract/money/decimal.ts'
import { nameCell, readColumn } from '../../../ui/cards/workbook.ts'
import { createTooManyColumns, maxColumns } from '../columns.ts'
import { checkFilled, type InputError, type RowSink } from '../input.ts'
import { type Attributes, decodeEscapes, isTrue, type XmlReader } from './xml.ts'

/** The formats that have no text in the workbook. */
const builtIn = (id: number): string => {
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58))
    return 'yyyy'
  if ([3, 5, 6, 37, 38, 41, 42].includes(id)) return '#,##0'
  if ([4, 7, 8, 39, 40, 43, 44].includes(id)) return '#,##0.00'
  return ['General', '0', '0.00'][id] ?? (id === 49 ? '@' : '%')
}

/** Spaces, colours, and texts and currencies without digits, points or percent signs. */
const additions =
  /"[^"\d.,%‰]*"|\\[^\d.,%‰]|_.|\*[^\d.,]|\[(?:[a-z]+|\$[^\]\d.,-]*(?:-[\da-f]+)?)\]|[\s$€£¥]/gi

/** Shows digits with one decimal point, and texts as they are. */
const amount = /^(?:@|(?:general|[#0?,]*[#0?](?:\.([#0?]+))?)(?:;[^;@]*){0,2}(?:;@)?)$/i

const readFormat = (code: string) => {
  const stripped = code.replaceAll(additions, '')
  const shown = amount.exec(stripped)
  return {
    /** Outside quoted texts, colours and escapes, only a date has these letters. */
    isDate: /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|general|E[+-]/gi, '')),
    /** Whether a number is shown as its digits alone. */
    isPlain: /^(?:general|0|#|@)(?:_.| )*(?:;|$)/i.test(code),
    /** How many decimals a number is shown with. Undefined if a number or a text may be shown differently. */
    decimals: shown === null ? undefined : /^[g@]/i.test(stripped) ? 15 : (shown[1]?.length ?? 0),
  }
}

const [format, style, dxf] = ['/styleSheet/numFmts/numFmt', '/styleSheet/cellXfs/xf', '/styleSheet/dxfs/dxf']

export const createStyles = () => {
  const codes = new Map<number, string>()
  const formats: ReturnType<typeof readFormat>[] = []
  const changing = new Set<number>()
  let conditions = 0
  const close: XmlReader['close'] = (path, { numFmtId, formatCode }) => {
    const id = Number(numFmtId?.value ?? 0)
    if (path === style) formats.push(readFormat(codes.get(id) ?? builtIn(id)))
    // Spreadsheets disagree about a number that has two formats.
    else if (path === format) codes.set(id, codes.has(id) ? '%' : (formatCode?.value ?? ''))
    else if (path === dxf) conditions += 1
    else if (path === `${dxf}/numFmt`) changing.add(conditions)
  }
  return {
    paths: ['/styleSheet', format, style, dxf, `${dxf}/numFmt`],
    close,
    findFormat: (style: string) =>
      formats[Number(style)] ?? (formats.length === 0 && style === '0' ? readFormat('General') : undefined),
    /** The conditional formats with a number format. */
    changing,
  }
}

/** '2026-03-01', or '2026-03-01 08:30:00'. */
const readDate = (days: number): string => {
  // Day 1 is 1900-01-01, and Excel has a day 60 that never was.
  const time = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1_000)
  if (Number.isNaN(time.valueOf())) return String(days)
  const text = time.toISOString()
  return days % 1 === 0 ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}

type Context = {
  readonly texts: readonly string[]
  readonly styles: Pick<ReturnType<typeof createStyles>, 'findFormat' | 'changing'>
  readonly createError: InputError
  readonly refuse: (problem: string) => never
}

const [maxLine, maxCells] = [1_048_576, 16_384]
/** In points, and in characters. */
const [minHeight, minWidth] = [3, 0.5]
/** Spreadsheets keep only so many digits of a number. */
const maxDigits = 15

const [rows, row] = ['/worksheet/sheetData', '/worksheet/sheetData/row']
const [cell, value, formula, inline] = [`${row}/c`, `${row}/c/v`, `${row}/c/f`, `${row}/c/is`]
const [text, run, textOfRun, spoken] = [`${inline}/t`, `${inline}/r`, `${inline}/r/t`, `${inline}/rPh/t`]
const [defaults, column] = ['/worksheet/sheetFormatPr', '/worksheet/cols/col']
const [condition, merged] = ['/worksheet/conditionalFormatting/cfRule', '/worksheet/mergeCells/mergeCell']
const contents = [cell, value, formula, inline, text, run, textOfRun, spoken]
const paths = ['/worksheet', defaults, column, rows, row, ...contents, condition, merged]

export const createSheetReader = (context: Context, sink: RowSink): XmlReader => {
  const { texts, styles, createError, refuse } = context
  const hiddenColumns: (readonly [first: number, last: number])[] = []
  let [line, filled] = [0, 0]
  let fields: ReturnType<RowSink['setHeaders']> | undefined
  // Of the row that is read.
  let [index, values, problem] = [-1, [] as unknown[], undefined as string | undefined]
  // Of the cell that is read. `content`: 'f', 'v' and 'i' for a formula, a value and a text.
  let [stored, content] = ['', '']

  const open: XmlReader['open'] = (path, { r }) => {
    if (path !== row) return
    const next = r === undefined ? line + 1 : Number(/^\d{1,7}$/.exec(r.value)?.[0])
    if (!(next > line && next <= maxLine)) refuse(`a row at a wrong place after line ${line}`)
    ;[line, index, values, problem] = [next, -1, [], undefined]
  }
  const closeRow = ({ hidden, ht }: Attributes): void => {
    const row = Array.from(values)
    if (row.every((value) => String(value ?? '').trim() === '') && problem === undefined) return
    if (isTrue(hidden) || isBelow(ht, minHeight)) problem = 'is hidden; unhide or delete it'
    if (fields !== undefined) sink.addRow(line, problem ?? row)
    else if (problem === undefined) fields = sink.setHeaders(row.map((value) => String(value ?? '')))
    else throw createError(`has a header row that ${problem}`, 'Correct the header.')
  }
  const closeCell = (attributes: Attributes): void => {
    const name = attributes.r?.value
    const at = name === undefined ? index + 1 : (readColumn(name, line) ?? -1)
    if (at <= index || at >= maxCells) refuse(`a cell at a wrong place in line ${line}`)
    index = at
    const value = readCell(attributes)
    ;[stored, content] = ['', '']
    if (value === undefined) return
    if (index >= maxColumns * 4) throw createTooManyColumns(createError)
    if (hiddenColumns.some(([first, last]) => !(index + 1 < first || index + 1 > last)))
      problem ??= `is hidden in ${nameCell(index, line)}`
    filled += 1
    checkFilled(filled, createError)
    values[index] = value
  }
  /** Undefined for an empty cell, and for one with a problem. */
  const readCell = ({ s, t }: Attributes): string | Decimal | undefined => {
    const fail = (what: string): undefined => {
      problem ??= `contains ${what} in ${nameCell(index, line)}`
    }
    const type = t?.value ?? 'n'
    if (!(type === 'inlineStr' ? /^f?i?$/ : /^f?v?$/).test(content)) return fail('several values')
    if (stored === '')
      return content.startsWith('f') && type !== 'str' ? fail('a formula without a stored value') : undefined
    const value = readValue(type, stored, texts)
    const format = styles.findFormat(s?.value ?? '0')
    if (value === undefined || format === undefined)
      return fail(`${type === 'e' ? 'the error' : 'the invalid value'} ${stored.slice(0, 30)}`)
    const [number, shown] = isDecimal(value) ? [value, formatDecimal(value)] : [undefined, value]
    if (number !== undefined && /^-?\d{16}/.test(shown))
      return fail(
        `a number with more than ${maxDigits} digits, which spreadsheets round (format the cell as text)`,
      )
    const isSku = index === fields?.sku
    if (number !== undefined && format.isDate && !isSku) return readDate(Number(stored))
    if (!isSku && index !== fields?.quote && index !== fields?.quantity) return value
    const { decimals, isPlain } = format
    const isExact = decimals !== undefined && number?.eq(number.round(decimals)) !== false
    if (number !== undefined && isSku ? isPlain : isExact) return value
    const advice = 'which its number format may show differently (format the cell as text, and type it again)'
    return fail(`${shown.slice(0, 30)}, ${advice}`)
  }
  const close: XmlReader['close'] = (path, attributes, more) => {
    if (path === value) [stored, content] = [more, `${content}v`]
    else if (path === formula) content += 'f'
    else if (path === inline) content += 'i'
    else if (path === text || path === textOfRun) stored += decodeEscapes(more)
    else if (path === cell) closeCell(attributes)
    else if (path === row) closeRow(attributes)
    else if (path === merged) {
      throw createError(`contains merged cells: ${attributes.ref?.value}`, 'Unmerge them and fill each cell.')
    } else if (path === condition && styles.changing.has(Number(attributes.dxfId?.value))) {
      throw createError('has a conditional format that changes numbers', 'Remove the conditional format.')
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
  return { paths, open, close }
}

/** Also if it is no number. */
const isBelow = (size: Attributes[string], least: number): boolean =>
  size !== undefined && !(Number(size.value) >= least)

/** Undefined if it is not valid. A number is exact, and a fraction has the digits that a spreadsheet shows. */
const readValue = (type: string, text: string, texts: readonly string[]): string | Decimal | undefined => {
  if (type === 'inlineStr') return text
  if (type === 'str') return decodeEscapes(text)
  if (type === 's') return /^\d+$/.test(text) ? texts[Number(text)] : undefined
  if (type === 'b') return text === '1' ? 'TRUE' : text === '0' ? 'FALSE' : undefined
  const number = type === 'n' ? parseDecimal(text.trim().replace(/^(-?)\./, '$10.')) : undefined
  return number?.eq(number.round(0)) === false ? parseDecimal(Number(text).toPrecision(maxDigits)) : number
}
