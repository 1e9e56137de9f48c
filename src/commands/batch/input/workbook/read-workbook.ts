// Finds a sheet of an .xlsx workbook, and what its cells refer to.
import { posix } from 'node:path'
import type { InputError, RowSink } from '../input.ts'
import { createSheetReader } from './sheet.ts'
import { createStyles } from './styles.ts'
import { countMarks, decodeEscapes, isTrue, type Reader, readXml } from './xml.ts'
import { openZip } from './zip.ts'

export type Workbook = {
  /** The sheet that is read, and the number of visible sheets. */
  readonly sheet: { readonly name: string; readonly of: number }
  readonly parse: (sink: RowSink) => Promise<void>
}

/** In MiB, and what takes time. 100,000 rows of ten cells are about 50 MB, with 5,200,000 tags and attributes. */
const [maxSize, maxSmallSize, maxMarks] = [64, 4, 6_000_000]

/** `wanted`: the name of a sheet (default: the first visible one). */
export const openWorkbook = async (
  bytes: Uint8Array,
  wanted: string | undefined,
  createError: InputError,
  signal: AbortSignal,
): Promise<Workbook> => {
  const refuse = (where: string): never => {
    const problem = `is a damaged workbook (${where.slice(0, 100)})`
    throw createError(problem, 'Open it in a spreadsheet, and save it as .xlsx again.')
  }
  const refuseSize = (what: string): never => {
    throw createError(`has ${what}`, 'Delete what is not needed, or save it as CSV.')
  }
  const { sizeOf, unpack } = openZip(bytes, refuse)
  let marks = 0
  const getContent = (part: string, limit = maxSmallSize): Buffer => {
    if (sizeOf(part) > limit * 1024 ** 2) refuseSize(`more than ${limit} MiB in ${part}`)
    const content = unpack(part)
    marks += countMarks(content)
    return marks > maxMarks ? refuseSize('too many cells') : content
  }
  const read = (part: string, reader: Reader, content = getContent(part)): Promise<void> =>
    readXml(content, reader, (problem) => refuse(`${part}: ${problem}`), signal)

  const readRelations = async (part: string) => {
    const relations: { id: string | undefined; type: string; part: string }[] = []
    const { dir, base } = posix.parse(part)
    const close: Reader['close'] = (_, { Id, Type, Target }) => {
      const target = posix.resolve('/', dir, Target?.value ?? '').slice(1)
      relations.push({ id: Id?.value, type: posix.basename(Type?.value ?? ''), part: target })
    }
    const paths = ['/Relationships', '/Relationships/Relationship']
    await read(posix.join(dir, '_rels', `${base}.rels`), { paths, close })
    const find = (key: 'id' | 'type', value: string | undefined) => {
      const [found, ...others] = relations.filter((each) => each[key] === value)
      return others.length > 0 ? refuse(`several parts: ${value}`) : found
    }
    return find
  }
  const main = sizeOf('_rels/.rels') === 0 ? undefined : (await readRelations(''))('type', 'officeDocument')
  if (main === undefined || !/\.xml$/i.test(main.part))
    throw createError('is not an .xlsx workbook', 'In the spreadsheet, save it as .xlsx or as CSV.')
  const findRelation = await readRelations(main.part)
  const sheets: { readonly name: string; readonly part: string; readonly isVisible: boolean }[] = []
  let is1904 = false
  await read(main.part, {
    paths: ['/workbook', '/workbook/workbookPr', '/workbook/sheets/sheet'],
    close: (path, attributes) => {
      const { date1904, name, state } = attributes
      is1904 ||= isTrue(date1904)
      const id = Object.values(attributes).find((each) => each?.uri.endsWith('/relationships'))?.value
      const relation = findRelation('id', id)
      if (path !== '/workbook/sheets/sheet' || relation?.type !== 'worksheet') return
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
  const [styles, texts] = [createStyles(), createTexts()]
  const [stylesPart, textsPart] = [
    findRelation('type', 'styles')?.part,
    findRelation('type', 'sharedStrings')?.part,
  ]
  const parts = [sheet.part, stylesPart ?? '', textsPart ?? '']
  if (parts.reduce((sum, part) => sum + sizeOf(part), 0) > maxSize * 1024 ** 2)
    refuseSize(`more than ${maxSize} MiB of contents`)
  if (stylesPart !== undefined) await read(stylesPart, styles)
  const rows = getContent(sheet.part, maxSize)
  if (textsPart !== undefined) await read(textsPart, texts, getContent(textsPart, maxSize))
  const context = { texts: texts.list, findFormat: styles.find, is1904, createError }
  const parse = (sink: RowSink): Promise<void> => read(sheet.part, createSheetReader(context, sink), rows)
  return { sheet: { name: sheet.name, of: visible.length }, parse }
}

/** A text may consist of several runs. Its pronunciation (rPh) is no part of it. */
const createTexts = () => {
  const list: string[] = []
  let text = ''
  const close: Reader['close'] = (path, _, more) => {
    if (path === '/sst/si/t' || path === '/sst/si/r/t') text += decodeEscapes(more)
    if (path !== '/sst/si') return
    list.push(text)
    text = ''
  }
  return { paths: ['/sst', '/sst/si', '/sst/si/t', '/sst/si/r', '/sst/si/r/t', '/sst/si/rPh/t'], close, list }
}
