// Writes workbooks as other programs do, also damaged and hostile ones.
import { crc32, deflateRawSync } from 'node:zlib'

type Part = {
  readonly content: string
  readonly size?: number
  readonly flags?: number
  readonly crc?: number
}

/** `size`: what the archive states instead of the true size. */
export const zip = (files: Readonly<Record<string, string | Part>>): Buffer => {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const [name, given] of Object.entries(files)) {
    const part = typeof given === 'string' ? { content: given } : given
    const content = Buffer.from(part.content)
    const packed = deflateRawSync(content)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(part.flags ?? 0, 2)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(part.crc ?? crc32(content), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(part.size ?? content.length, 18)
    header.writeUInt16LE(name.length, 22)
    locals.push(Buffer.from('PK\u0003\u0004'), header, Buffer.from(name), packed)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), header, place, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end])
}

type Sheet = { readonly xml: string; readonly state?: string }

const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** `more`: other files, or other contents of the same files. */
export const workbookOf = (
  sheets: Readonly<Record<string, Sheet>>,
  more: Readonly<Record<string, string | Part>> = {},
): Buffer => {
  const all = Object.entries(sheets)
  const list = all.map(
    ([name, { state }], index) =>
      `<sheet name="${name}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="r${index}"/>`,
  )
  const targets = all.map(
    (_, index) => `<Relationship Id="r${index}" Target="worksheets/sheet${index}.xml"/>`,
  )
  return zip({
    'xl/workbook.xml': `${prolog}<workbook xmlns:r="${relationships}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets.join('')}</Relationships>`,
    ...Object.fromEntries(all.map(([, { xml }], index) => [`xl/worksheets/sheet${index}.xml`, prolog + xml])),
    ...more,
  })
}

/** A number, a text, or the XML of a cell without its name. */
type Cell = number | string

/** The lines begin at 1. An undefined row is absent. */
export const sheetOf = (rows: readonly (readonly Cell[] | undefined)[], after = ''): string => {
  const cellOf = (cell: Cell, column: number, line: number): string => {
    const name = `r="${String.fromCharCode(65 + column)}${line}"`
    if (typeof cell === 'number') return `<c ${name}><v>${cell}</v></c>`
    return cell.startsWith('<c')
      ? cell.replace('<c', `<c ${name}`)
      : `<c ${name} t="inlineStr"><is><t>${cell}</t></is></c>`
  }
  const written = rows.map((row, index) =>
    row === undefined
      ? ''
      : `<row r="${index + 1}">${row.map((cell, column) => cellOf(cell, column, index + 1)).join('')}</row>`,
  )
  return `<worksheet><sheetData>${written.join('')}</sheetData>${after}</worksheet>`
}

export const workbook = (rows: Parameters<typeof sheetOf>[0], after?: string): Buffer =>
  workbookOf({ Orders: { xml: sheetOf(rows, after) } })
