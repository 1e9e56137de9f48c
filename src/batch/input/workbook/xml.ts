// Reads the XML of a workbook with saxes. Refuses what spreadsheets may read differently.

import { setImmediate } from 'node:timers/promises'
import { type SaxesAttributeNS, SaxesParser } from 'saxes'

export type Attributes = Readonly<Record<string, SaxesAttributeNS | undefined>>

export type XmlReader = {
  /** The names of each element that is read, and of its parents. The first path is that of the root. */
  readonly paths: readonly string[]
  readonly open?: (path: string, attributes: Attributes) => void
  /** `text`: of an element without children. */
  readonly close: (path: string, attributes: Attributes, text: string) => void
}

/** What was read of all parts. */
export type Counts = { marks: number; values: number }

/** Not that of 'Strict Open XML', which few programs write. */
const namespaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]
/** Elements that are nowhere but on a path. */
const contents =
  /^(?:sheet|Relationship|numFmt|sheetFormatPr|col|sheetData|row|c|f|v|is|si|r|t|mergeCell|cfRule|dxf)$/
/** Elements that contain no unknown ones, and elements that are only once in their parent. */
const [closed, single] = [/\/(?:sheetData|row|c|f|v|t)$/, /\/(?:sheetData|f|v|is|t)$/]
const [maxDepth, pieceLength] = [32, 65_536]

/** What takes time: tags, attributes, entities and sections. */
const mark = /<[^/]|[=&\]]/g
/** A million marks take up to 0.4 s. 400,000 texts with formats have 3,600,000, and at most ten for each value. */
const [maxMarks, spareMarks, marksOfValue] = [4_000_000, 1_000_000, 10]

export const readXml = async (
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
      parent.path === '' || closed.test(parent.path) || (isOwn && contents.test(local))
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
export const decodeEscapes = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Everything that is not false. */
export const isTrue = (attribute: Attributes[string]): boolean =>
  attribute !== undefined && !['0', 'false'].includes(attribute.value.trim())
