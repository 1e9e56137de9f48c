// Writes an .xlsx workbook with one sheet, part by part. Texts stay texts: a spreadsheet keeps all digits of a code, and
// runs no formula.
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { Failure } from '../../../errors.ts'
import { nameCell } from '../input/workbook/cell-name.ts'

/** A number is a text of `formatDecimal`. */
export type WorkbookCell = string | { readonly number: string } | undefined

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const files: readonly (readonly [name: string, content: string])[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Codes" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    // The format 49 is '@': a cell that is edited stays a text.
    'xl/styles.xml',
    `<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  ],
]

type Entry = { readonly name: string; readonly at: number; crc: number; packedSize: number; size: number }

/** Rows of equal length. */
export function* renderWorkbook(rows: Iterable<readonly WorkbookCell[]>): Generator<Uint8Array> {
  const entries: Entry[] = []
  let at = 0
  function* write(name: string, parts: Iterable<string>): Generator<Uint8Array> {
    const entry: Entry = { name, at, crc: 0, packedSize: 0, size: 0 }
    entries.push(entry)
    const header = renderHeader(entry, 'local')
    yield header
    for (const part of parts) {
      const content = Buffer.from(part)
      // A part ends with a whole byte, so that the next one can follow it.
      const packed = deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH })
      entry.crc = crc32(content, entry.crc)
      entry.size += content.length
      entry.packedSize += packed.length
      yield packed
    }
    const end = deflateRawSync('')
    entry.packedSize += end.length
    const sizes = writeNumbers('PK\u0007\u0008', [4, entry.crc], [4, entry.packedSize], [4, entry.size])
    at += header.length + entry.packedSize + sizes.length
    yield Buffer.concat([end, sizes])
  }
  for (const [name, content] of files) yield* write(name, [xml + content])
  yield* write('xl/worksheets/sheet1.xml', renderSheet(rows))
  const directory = Buffer.concat(entries.map((entry) => renderHeader(entry, 'central')))
  const counts = [entries.length, entries.length].map((count) => [2, count] as const)
  yield directory
  yield writeNumbers('PK\u0005\u0006', [4, 0], ...counts, [4, directory.length], [4, at], [2, 0])
}

type Number = readonly [bytes: 2 | 4, value: number]

const writeNumbers = (signature: string, ...numbers: readonly Number[]): Buffer => {
  const buffer = Buffer.alloc(4 + numbers.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = buffer.write(signature, 'latin1')
  for (const [bytes, value] of numbers) at = buffer.writeUIntLE(value, at, bytes)
  return buffer
}

const [version, sizesFollow, deflated] = [20, 8, 8]
/** 1980-01-01: a file should not say when its codes were read. */
const firstDate = 33

/** The local header comes before the content, so it has no sizes yet. */
const renderHeader = (entry: Entry, kind: 'local' | 'central'): Buffer => {
  const { name, at, crc, packedSize, size } =
    kind === 'central' ? entry : { ...entry, crc: 0, packedSize: 0, size: 0 }
  const common: Number[] = [
    ...([version, sizesFollow, deflated, 0, firstDate].map((value) => [2, value]) as Number[]),
    ...([crc, packedSize, size].map((value) => [4, value]) as Number[]),
    ...([name.length, 0].map((value) => [2, value]) as Number[]),
  ]
  const header =
    kind === 'local'
      ? writeNumbers('PK\u0003\u0004', ...common)
      : writeNumbers('PK\u0001\u0002', [2, version], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at])
  return Buffer.concat([header, Buffer.from(name)])
}

const partLength = 65_536

/** Few and long parts, because each is packed alone. */
function* renderSheet(rows: Iterable<readonly WorkbookCell[]>): Generator<string> {
  let part = `${xml}<worksheet xmlns="${main}"><sheetData>`
  let line = 0
  for (const row of rows) {
    line += 1
    const cells = row.map((cell, column) => renderCell(cell, nameCell(column, line)))
    part += `<row r="${line}">${cells.join('')}</row>`
    if (part.length < partLength) continue
    yield part
    part = ''
  }
  yield `${part}</sheetData></worksheet>`
}

/** A longer text makes Excel repair the file. */
const maxLength = 32_767

const renderCell = (cell: WorkbookCell, name: string): string => {
  if (cell === undefined || cell === '') return ''
  if (typeof cell === 'object') return `<c r="${name}"><v>${cell.number}</v></c>`
  if (cell.length > maxLength) {
    throw new Failure('usage', `a cell has more than ${maxLength} characters, which .xlsx does not allow`, {
      advice: 'Export to .csv.',
    })
  }
  return `<c r="${name}" s="1" t="inlineStr"><is><t xml:space="preserve">${escapeText(cell)}</t></is></c>`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Characters that XML does not allow are written as _x000B_, so such a text of the input is escaped, too. */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase()
      return `_x${code.padStart(4, '0')}_`
    })
    .replaceAll(/[&<>]/g, (character) => escapes[character] ?? '')
