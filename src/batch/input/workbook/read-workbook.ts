// Finds a sheet of an .xlsx workbook, and what its cells refer to.

import { posix } from 'node:path'
import { checkFilled, type InputError, type RowSink } from '../input.ts'
import { createSheetReader, createStyles } from './sheet.ts'
import { type Counts, decodeEscapes, isTrue, readXml, type XmlReader } from './xml.ts'
import { openZip } from './zip.ts'

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
