// Reads an .xlsx workbook: the parts of its zip archive with fflate, their XML with saxes. Refuses what spreadsheets may read
// differently. Reads the stored values of a sheet, never a formula, shows numbers of days as dates, and 12 as 00012 or 12%, like
// the workbook, and refuses what a person would see differently.

import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import { type UnzipFileInfo, unzipSync } from 'fflate/browser'
import { type SaxesAttributeNS, SaxesParser } from 'saxes'
import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import { nameCell, readColumn } from '../../ui/cards/workbook.ts'
import { checkFilled, createTooManyColumns, type InputError, maxColumns, type RowSink } from './columns.ts'

/** In MiB: of all parts that are read, and of each that has neither rows nor texts. */
const [maxSize, maxSmallSize] = [64, 4]

/** `wanted`: the name of a sheet (default: the first visible one). */
export const openWorkbook = async (
  bytes: Uint8Array,
  wanted: string | undefined,
  createError: InputError,
  signal: AbortSignal,
) => {
  const refuse = (problem: string): never => {
    throw createError(
      `is a workbook that orderctl cannot read (${problem.slice(0, 100)})`,
      'In a spreadsheet, delete what is not needed, and save it as .xlsx again, or as CSV.',
    )
  }
  const orRefuse = <Result>(read: () => Result, where: string): Result => {
    try {
      return read()
    } catch (error) {
      // The errors of Buffer, TextDecoder, fflate and zlib have codes.
      throw error instanceof Error && 'code' in error ? refuse(where) : error
    }
  }
  const findPart = orRefuse(() => openZip(bytes, refuse), 'its directory')
  let total = 0
  const getContent = (part: string, limit = maxSize): string => {
    const { size, unpack } = findPart(part) ?? refuse(`${part} is missing`)
    total += size
    if (size > limit * 1024 ** 2) refuse(`more than ${limit} MiB in ${part}`)
    if (total > maxSize * 1024 ** 2) refuse(`more than ${maxSize} MiB`)
    return orRefuse(unpack, part)
  }
  const counts: Counts = { marks: 0, values: 0 }
  const read = (part: string, reader: XmlReader, content = getContent(part, maxSmallSize)) =>
    readXml(content, reader, counts, (problem) => refuse(`${part}: ${problem}`), signal)

  const readRelations = async (part: string) => {
    const relations: { id: string | undefined; type: string; part: string }[] = []
    const { dir, base } = posix.parse(part)
    const close: XmlReader['close'] = (_, { Id, Type, Target }) => {
      const target = posix.resolve('/', dir, Target?.value ?? '').slice(1)
      if (target.includes('%')) refuse(`an escape in ${target}`)
      relations.push({ id: Id?.value, type: posix.basename(Type?.value ?? ''), part: target })
    }
    const paths = ['/Relationships', '/Relationships/Relationship']
    await read(posix.join(dir, '_rels', `${base}.rels`), { paths, close })
    return (key: 'id' | 'type', value: string | undefined) => {
      const [found, ...others] = relations.filter((each) => each[key] === value)
      return others.length > 0 ? refuse(`several parts: ${value}`) : found
    }
  }
  const main = findPart('_rels/.rels') && (await readRelations(''))('type', 'officeDocument')
  if (main === undefined || !/\.xml$/i.test(main.part))
    throw createError('is not an .xlsx workbook', 'In the spreadsheet, save it as .xlsx or as CSV.')
  const findRelation = await readRelations(main.part)
  const sheets: { readonly name: string; readonly part: string; readonly isVisible: boolean }[] = []
  await read(main.part, {
    paths: ['/workbook', '/workbook/workbookPr', '/workbook/sheets/sheet'],
    close: (path, attributes) => {
      const { date1904, name, state } = attributes
      if (isTrue(date1904)) refuse('its dates count from 1904')
      if (path !== '/workbook/sheets/sheet') return
      const id = Object.values(attributes).find((each) => each?.uri.endsWith('/relationships'))
      const relation = findRelation('id', id?.value)
      if (relation?.type !== 'worksheet') return
      const isVisible = state === undefined || state.value === 'visible'
      sheets.push({ name: decodeEscapes(name?.value ?? ''), part: relation.part, isVisible })
    },
  })
  const visible = sheets.filter(({ isVisible }) => isVisible)
  const [sheet, twin] = wanted === undefined ? [visible[0]] : sheets.filter(({ name }) => name === wanted)
  if (sheet === undefined) {
    const names = sheets.map(({ name }) => `'${name}'`).join(', ')
    const problem = wanted === undefined ? 'has no sheet with rows' : `has no sheet '${wanted}'`
    throw createError(`${problem}; sheets: ${names || 'none'}`, 'Choose one of its sheets with --sheet.')
  }
  if (twin !== undefined) refuse(`several sheets: ${twin.name}`)
  const [styles, texts] = [createStyles(), createTexts(createError)]
  const [stylesPart, textsPart] = ['styles', 'sharedStrings'].map((type) => findRelation('type', type)?.part)
  if (stylesPart !== undefined) await read(stylesPart, styles)
  const rows = getContent(sheet.part)
  if (textsPart !== undefined) await read(textsPart, texts, getContent(textsPart))
  const context = { texts: texts.list, styles, createError, refuse }
  const parse = (sink: RowSink) => read(sheet.part, createSheetReader(context, sink), rows)
  return { sheet: { name: sheet.name, of: visible.length }, parse }
}

/** A text may consist of several runs. Its pronunciation (rPh) is no part of it. Each text is that of a cell. */
const createTexts = (createError: InputError) => {
  const list: string[] = []
  let text = ''
  const close: XmlReader['close'] = (path, _, more) => {
    if (path === '/sst/si/t' || path === '/sst/si/r/t') text += decodeEscapes(more)
    if (path !== '/sst/si') return
    checkFilled(list.push(text), createError)
    text = ''
  }
  return { paths: ['/sst', '/sst/si', '/sst/si/t', '/sst/si/r', '/sst/si/r/t', '/sst/si/rPh/t'], close, list }
}

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

const createStyles = () => {
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

const createSheetReader = (context: Context, sink: RowSink): XmlReader => {
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

/** Some spreadsheets take names with one key for one part. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

/** fflate says neither where a part is nor its checksum. */
const openZip = (bytes: Uint8Array, refuse: (where: string) => never) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = new Map<string, { readonly size: number; readonly unpack: () => string }>()
  const end = data.lastIndexOf('PK\u0005\u0006', -22, 'latin1')
  let entry = data.subarray(data.readUInt32LE(end + 16))
  const filter = ({ name, size: packedSize, originalSize: size, compression }: UnzipFileInfo): boolean => {
    const nameEnd = 46 + entry.readUInt16LE(28)
    const file = data.subarray(entry.readUInt32LE(42))
    const start = 30 + file.readUInt16LE(26)
    if (parts.has(keyOf(name)) || !file.subarray(30, start).equals(entry.subarray(46, nameEnd)))
      refuse(`two names: ${name}`)
    const packed = file.subarray(start + file.readUInt16LE(28)).subarray(0, packedSize)
    const crc = entry.readUInt32LE(16)
    const unpack = (): string => {
      const content = compression === 0 ? packed : inflateRawSync(packed, { maxOutputLength: size || 1 })
      if (content.length !== size || crc32(content) !== crc) refuse(name)
      return new TextDecoder('utf-8', { fatal: true }).decode(content)
    }
    parts.set(keyOf(name), { size, unpack })
    entry = entry.subarray(nameEnd + entry.readUInt16LE(30) + entry.readUInt16LE(32))
    return false
  }
  unzipSync(data, { filter })
  // Otherwise other programs may find a different directory.
  const isComplete = entry.length === data.length - end && entry.length === 22 + entry.readUInt16LE(20)
  return isComplete ? (name: string) => parts.get(keyOf(name)) : refuse('its directory')
}

type Attributes = Readonly<Record<string, SaxesAttributeNS | undefined>>

type XmlReader = {
  /** The names of each element that is read, and of its parents. The first path is that of the root. */
  readonly paths: readonly string[]
  readonly open?: (path: string, attributes: Attributes) => void
  /** `text`: of an element without children. */
  readonly close: (path: string, attributes: Attributes, text: string) => void
}

/** What was read of all parts. */
type Counts = { marks: number; values: number }

/** Not that of 'Strict Open XML', which few programs write. */
const namespaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]
/** Elements that are nowhere but on a path. */
const knownNames =
  /^(?:sheet|Relationship|numFmt|sheetFormatPr|col|sheetData|row|c|f|v|is|si|r|t|mergeCell|cfRule|dxf)$/
/** Elements that contain no unknown ones, and elements that are only once in their parent. */
const [closed, single] = [/\/(?:sheetData|row|c|f|v|t)$/, /\/(?:sheetData|f|v|is|t)$/]
const [maxDepth, pieceLength] = [32, 65_536]

/** What takes time: tags, attributes, entities and sections. */
const mark = /<[^/]|[=&\]]/g
/** A million marks take up to 0.4 s. 400,000 texts with formats have 3,600,000, and at most ten for each value. */
const [maxMarks, spareMarks, marksOfValue] = [4_000_000, 1_000_000, 10]

const readXml = async (
  content: string,
  { paths, open, close }: XmlReader,
  counts: Counts,
  refuse: (problem: string) => never,
  signal: AbortSignal,
): Promise<void> => {
  const known = new Set(paths)
  const parents: { readonly path: string }[] = []
  const parentOf = new Map<string, object>()
  let [root, text] = ['', '']
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('error', ({ message }) => refuse(message))
  parser.on('doctype', () => refuse('a document type'))
  // With seven handlers, V8 looks up the parser's properties in a table: parsing takes 2.5 times as long.
  parser.on('opentag', ({ local, uri, attributes }) => {
    text = ''
    const parent = parents.at(-1) ?? { path: '' }
    if (parent.path === '') {
      const { version = '1.0', encoding = 'UTF-8' } = parser.xmlDecl
      if (version !== '1.0' || !/^utf-8$/i.test(encoding)) refuse('not XML 1.0 in UTF-8')
      root = uri
    }
    const isOwn = namespaces.includes(uri)
    const path = `${parent.path}/${isOwn && uri === root ? local : '*'}`
    const isMisplaced = () =>
      parent.path === '' || closed.test(parent.path) || (isOwn && knownNames.test(local))
    if (known.has(path) ? parentOf.get(path) === parent && single.test(path) : isMisplaced())
      refuse(`<${local}> at a wrong place`)
    if (parents.push({ path }) > maxDepth) refuse('too many levels')
    if (!known.has(path)) return
    parentOf.set(path, parent)
    open?.(path, attributes)
  })
  parser.on('closetag', ({ attributes }) => {
    const { path = '' } = parents.pop() ?? {}
    if (!known.has(path)) return
    if (text !== '') counts.values += 1
    close(path, attributes, text)
  })
  for (const event of ['text', 'cdata'] as const)
    parser.on(event, (more) => {
      text += more
    })
  for (let at = 0; at < content.length; at += pieceLength) {
    const piece = content.slice(at, at + pieceLength)
    counts.marks += piece.match(mark)?.length ?? 0
    if (counts.marks > Math.min(maxMarks, spareMarks + counts.values * marksOfValue)) refuse('too many cells')
    parser.write(piece)
    await setImmediate()
    signal.throwIfAborted()
  }
  parser.close()
}

/** Where _x000D_ is a line break. */
const decodeEscapes = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Everything that is not false. */
const isTrue = (attribute: Attributes[string]): boolean =>
  attribute !== undefined && !['0', 'false'].includes(attribute.value.trim())
