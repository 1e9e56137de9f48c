// Reads the XML of a workbook with saxes. Refuses what spreadsheets may read differently.
import { setImmediate } from 'node:timers/promises'
import { type SaxesAttributeNS, SaxesParser } from 'saxes'

export type Attributes = Readonly<Record<string, SaxesAttributeNS | undefined>>

export type Reader = {
  /** The names of each element that is read, and of its parents. The first path is that of the root. */
  readonly paths: readonly string[]
  /** `text`: of an element without children. */
  readonly close: (path: string, attributes: Attributes, text: string, refuse: Refuse) => void
}

/** Throws. */
type Refuse = (problem: string) => never

const namespaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
  // Of 'Strict Open XML'.
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
]
/** Elements that are nowhere but on a path. */
const contents = /^(?:sheet|Relationship|sheetFormatPr|col|sheetData|row|c|f|v|is|si|r|t|mergeCell)$/
/** Elements that contain no others. */
const closed = /\/(?:sheetData|row|c|f|v|t)$/
/** Elements that are only once in their parent. */
const single = /\/(?:sheetData|f|v|is|t)$/
const [maxDepth, maxAttributes, pieceLength] = [32, 100, 65_536]

export const readXml = async (
  content: Buffer,
  { paths, close }: Reader,
  refuse: Refuse,
  signal: AbortSignal,
): Promise<void> => {
  const known = new Set(paths)
  const parents: { readonly path: string }[] = []
  const parentOf = new Map<string, object>()
  let [root, text, attributeCount] = ['', '', 0]
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('error', ({ message }) => refuse(message))
  parser.on('doctype', () => refuse('a document type'))
  parser.on('xmldecl', ({ version, encoding = 'UTF-8' }) => {
    if (version !== '1.0' || !/^utf-8$/i.test(encoding)) refuse('not XML 1.0 in UTF-8')
  })
  parser.on('attribute', () => {
    attributeCount += 1
    if (attributeCount > maxAttributes) refuse('too many attributes')
  })
  parser.on('opentag', ({ local, uri }) => {
    ;[text, attributeCount] = ['', 0]
    const parent = parents.at(-1) ?? { path: '' }
    if (parent.path === '') root = uri
    const isOwn = namespaces.includes(uri)
    const path = `${parent.path}/${isOwn && uri === root ? local : '*'}`
    const isMisplaced = parent.path === '' || closed.test(parent.path) || (isOwn && contents.test(local))
    if (known.has(path) ? single.test(path) && parentOf.get(path) === parent : isMisplaced)
      refuse(`<${local}> at a wrong place`)
    if (known.has(path)) parentOf.set(path, parent)
    if (parents.push({ path }) > maxDepth) refuse('too many levels')
  })
  parser.on('closetag', ({ attributes }) => {
    const { path = '' } = parents.pop() ?? {}
    if (known.has(path)) close(path, attributes, text, refuse)
  })
  const addText = (more: string): void => {
    text += more
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  const decoder = new TextDecoder()
  for (let at = 0; at < content.length; at += pieceLength) {
    parser.write(decoder.decode(content.subarray(at, at + pieceLength), { stream: true }))
    await setImmediate()
    signal.throwIfAborted()
  }
  parser.write(decoder.decode()).close()
}

/** Counts tags, attributes, entities and sections, which take the most time. */
export const countMarks = (content: Buffer): number => {
  let count = 0
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at]
    const isMark = byte === 0x3d || byte === 0x26 || byte === 0x5d
    if (isMark || (byte === 0x3c && content[at + 1] !== 0x2f)) count += 1
  }
  return count
}

/** Where _x000D_ is a line break. */
export const decodeEscapes = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Everything that is not false. */
export const isTrue = (attribute: Attributes[string]): boolean =>
  attribute !== undefined && !['0', 'false'].includes(attribute.value.trim())
