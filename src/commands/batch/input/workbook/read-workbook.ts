// Reads the rows of a sheet of an .xlsx workbook: the stored values, never a formula.
import { setImmediate } from 'node:timers/promises'
import { formatDecimal, isDecimal, parseDecimal } from '../../../../contract/money/decimal.ts'
import { batchLimits } from '../../../../operations/batch/plan/rows.ts'
import { createTooManyColumns, maxColumns } from '../columns.ts'
import { createTooManyRows, formatCount, type InputError, type RowSink } from '../input.ts'
import { nameCell, readColumn } from './cell-name.ts'
import { readDate, readStyles } from './dates.ts'
import { decodeCell, listTags, readAttribute } from './xml.ts'
import { openZip } from './zip.ts'

export type Workbook = {
  /** The sheet that is read, and the number of visible sheets. */
  readonly sheet: { readonly name: string; readonly of: number }
  readonly parse: (sink: RowSink, signal: AbortSignal) => Promise<void>
}

type Sheet = { readonly name: string; readonly path: string; readonly isVisible: boolean }

/** `wanted`: the name of a sheet (default: the first visible one). */
export const openWorkbook = (
  bytes: Uint8Array,
  wanted: string | undefined,
  createError: InputError,
): Workbook => {
  const readFile = openZip(bytes, createError)
  const workbook = readFile('xl/workbook.xml')
  if (workbook === undefined) {
    throw createError('is not an .xlsx workbook', 'In the spreadsheet, save it as .xlsx or as CSV.')
  }
  const sheets = listSheets(workbook, readFile('xl/_rels/workbook.xml.rels') ?? '')
  const visible = sheets.filter(({ isVisible }) => isVisible)
  const sheet = wanted === undefined ? visible[0] : sheets.find(({ name }) => name === wanted)
  const content = sheet && readFile(sheet.path)
  if (sheet === undefined || content === undefined) {
    const names = sheets.map(({ name }) => `'${name}'`).join(', ')
    const problem = wanted === undefined ? 'has no sheet with rows' : `has no sheet '${wanted}'`
    throw createError(`${problem}; sheets: ${names || 'none'}`, 'Choose one of its sheets with --sheet.')
  }
  const cells: CellContext = {
    texts: listSharedTexts(readFile('xl/sharedStrings.xml') ?? ''),
    findShown: readStyles(readFile('xl/styles.xml') ?? ''),
    is1904: [...listTags(workbook)].some(
      (tag) => tag.name === 'workbookPr' && isTrue(readAttribute(tag, 'date1904')),
    ),
  }
  return {
    sheet: { name: sheet.name, of: visible.length },
    parse: (sink, signal) => parseSheet(content, cells, sink, createError, signal),
  }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'

const listSheets = (workbook: string, relations: string): Sheet[] => {
  const targets = new Map(
    [...listTags(relations)].map((tag) => [readAttribute(tag, 'Id'), readAttribute(tag, 'Target') ?? '']),
  )
  return [...listTags(workbook)]
    .filter(({ name, isEnd }) => name === 'sheet' && !isEnd)
    .map((tag) => {
      const target = targets.get(/\s[\w.-]+:id\s*=\s*["']([^"']*)/.exec(tag.attributes)?.[1]) ?? ''
      return {
        name: decodeCell(readAttribute(tag, 'name') ?? ''),
        path: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
        isVisible: (readAttribute(tag, 'state') ?? 'visible') === 'visible',
      }
    })
}

/** Each item is one text or several runs of text. Its pronunciation (rPh) is no part of it. */
const listSharedTexts = (xml: string): string[] => {
  const texts: string[] = []
  let [text, isSpoken] = ['', false]
  for (const { name, isEnd, isEmpty, text: after } of listTags(xml)) {
    if (name === 'rPh') isSpoken = !isEnd && !isEmpty
    else if (name === 't' && !isEnd && !isSpoken) text += after
    else if (name === 'si' && (isEnd || isEmpty)) {
      texts.push(decodeCell(text))
      text = ''
    }
  }
  return texts
}

type CellContext = {
  readonly texts: readonly string[]
  readonly findShown: ReturnType<typeof readStyles>
  readonly is1904: boolean
}

type Cell = { type: string; style: string | undefined; column: number; value: string; hasFormula: boolean }

/** Spreadsheets keep only so many digits of a number. */
const maxDigits = 15
const rowsAtOnce = 1_000

const parseSheet = async (
  xml: string,
  context: CellContext,
  sink: RowSink,
  createError: InputError,
  signal: AbortSignal,
): Promise<void> => {
  let [line, count] = [0, 0]
  let [hasHeader, isHidden, isSpoken] = [false, false, false]
  let row: unknown[] = []
  /** The column of a cell that does not name it. */
  let nextColumn = 0
  let skuColumn = -1
  let problem: string | undefined
  let cell: Cell | undefined

  const endCell = ({ column, ...read }: Cell): void => {
    const value = readCell(read, context)
    if (value === undefined) return
    if (column >= maxColumns * 4) throw createTooManyColumns(createError)
    if (typeof value === 'object' && 'problem' in value)
      problem ??= `${value.problem} in ${nameCell(column, line)}`
    else if (column === skuColumn && isDecimal(value.value) && context.findShown(read.style) === 'changed')
      problem ??= `contains an SKU in ${nameCell(column, line)} that its number format may show differently: ${formatDecimal(value.value)} (format the cell as text, and type the SKU again)`
    else row[column] = value.value
  }
  const endRow = (): void => {
    const values = Array.from(row, (value) => value)
    const isEmpty = values.every(
      (value) => value === undefined || (typeof value === 'string' && value.trim() === ''),
    )
    if (isEmpty && problem === undefined) return
    if (isHidden) problem = 'is hidden; unhide or delete it'
    if (!hasHeader) {
      if (problem !== undefined) throw createError(`has a header row that ${problem}`, 'Correct the header.')
      skuColumn = sink.setHeaders(values.map((value) => String(value ?? '')))
    } else {
      count += 1
      // The other rows are not worth the time.
      if (count > batchLimits.rows)
        throw createTooManyRows(`more than ${formatCount(batchLimits.rows)}`, createError)
      sink.addRow(line, problem ?? values)
    }
    hasHeader = true
  }

  for (const tag of listTags(xml)) {
    const { name, isEnd, isEmpty, text } = tag
    if (name === 'row' && !isEnd) {
      line = Number(readAttribute(tag, 'r')) || line + 1
      isHidden = isTrue(readAttribute(tag, 'hidden'))
      row = []
      nextColumn = 0
      problem = undefined
    } else if (name === 'row') {
      endRow()
      if (line % rowsAtOnce === 0) {
        await setImmediate()
        signal.throwIfAborted()
      }
    } else if (name === 'c' && !isEnd) {
      const column = readColumn(readAttribute(tag, 'r')) ?? nextColumn
      nextColumn = column + 1
      const type = readAttribute(tag, 't') ?? 'n'
      cell = { type, style: readAttribute(tag, 's'), column, value: '', hasFormula: false }
      if (isEmpty) cell = undefined
    } else if (name === 'c') {
      if (cell !== undefined) endCell(cell)
      cell = undefined
    } else if (name === 'rPh') isSpoken = !isEnd && !isEmpty
    else if (name === 'f' && cell !== undefined) cell.hasFormula = true
    else if ((name === 'v' || name === 't') && !isEnd && !isSpoken && cell !== undefined) cell.value += text
    else if (name === 'mergeCell' && !isEnd) {
      throw createError(
        `contains merged cells: ${readAttribute(tag, 'ref')}`,
        'Unmerge them and fill each cell.',
      )
    }
  }
}

const readShared = (text: string | undefined) =>
  text === undefined ? { problem: 'refers to a text that the workbook does not contain' } : { value: text }

/** Undefined for an empty cell. A number is an exact decimal. */
const readCell = (
  { type, style, value: raw, hasFormula }: Omit<Cell, 'column'>,
  { texts, findShown, is1904 }: CellContext,
): { readonly value: unknown } | { readonly problem: string } | undefined => {
  if (raw === '')
    return hasFormula && type !== 'str' ? { problem: 'contains a formula without a stored value' } : undefined
  switch (type) {
    case 's':
      return readShared(texts[Number(raw)])
    case 'inlineStr':
    case 'str':
      return { value: decodeCell(raw) }
    case 'b':
      return { value: raw === '1' ? 'TRUE' : 'FALSE' }
    case 'e':
      return { problem: `contains the error ${decodeCell(raw)}` }
    case 'd':
      return { value: raw }
  }
  if (findShown(style) === 'date') return { value: readDate(Number(raw), is1904) }
  const number = parseDecimal(raw.trim().replace(/^(-?)\./, '$10.'))
  if (number === undefined) return { problem: `contains the invalid number ${decodeCell(raw)}` }
  const digits = formatDecimal(number)
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '')
  return digits.length > maxDigits && !formatDecimal(number).includes('.')
    ? {
        problem: `contains a number with more than ${maxDigits} digits, which spreadsheets round (format the cell as text)`,
      }
    : { value: number }
}
