// Reads the XML of a workbook as a list of tags. Knows no document types, so no entity can expand.

type Tag = {
  /** Without its prefix. */
  readonly name: string
  readonly isEnd: boolean
  readonly isEmpty: boolean
  readonly attributes: string
  /** The text after it. */
  readonly text: string
}

// The character after the name is fixed, so that a tag without an end costs one look at it.
const tag = /<(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>([^<]*)/g

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Drops comments, and writes CDATA as text. No regular expression, which would search for each missing end. */
const dropComments = (xml: string): string => {
  let [kept, at] = ['', 0]
  for (;;) {
    const start = xml.indexOf('<!', at)
    if (start === -1) return kept + xml.slice(at)
    kept += xml.slice(at, start)
    const isText = xml.startsWith('<![CDATA[', start)
    const end = xml.indexOf(isText ? ']]>' : '-->', start)
    if (end === -1) return kept
    if (isText) kept += escapeText(xml.slice(start + '<![CDATA['.length, end))
    at = end + 3
  }
}

export function* listTags(xml: string): Generator<Tag> {
  for (const [, end, name = '', attributes = '', empty, text = ''] of dropComments(xml).matchAll(tag))
    yield { name, isEnd: end !== '', isEmpty: empty !== '', attributes, text }
}

const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

const readCharacter = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')

export const decodeText = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (all, hex, digits, name) => {
        if (hex !== undefined) return readCharacter(Number.parseInt(hex, 16))
        return digits === undefined ? (entities.get(name) ?? all) : readCharacter(Number(digits))
      })
    : text

/** A text of a cell, where _x000D_ is a line break. */
export const decodeCell = (text: string): string =>
  decodeText(text).replaceAll(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

const patterns = new Map<string, RegExp>()

export const readAttribute = ({ attributes }: Pick<Tag, 'attributes'>, name: string): string | undefined => {
  const pattern = patterns.get(name) ?? new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  patterns.set(name, pattern)
  const found = pattern.exec(attributes)
  const value = found?.[1] ?? found?.[2]
  return value === undefined ? undefined : decodeText(value)
}
