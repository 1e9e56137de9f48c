// Writes an .xlsx workbook with one sheet, part by part. Texts stay texts: a spreadsheet keeps all digits of a code, and
// runs no formula.

import { strToU8, Zip, ZipDeflate } from 'fflate/browser'
import { Failure } from '../../errors.ts'

/** A number is a text of `formatDecimal`. */
type WorkbookCell = string | { readonly number: string } | undefined

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const files = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Codes" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  // The format 49 is '@': a cell that is edited stays a text.
  'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
}

/** A file should not say when its codes were read. */
const mtime = new Date(1980, 0, 1)

/** Rows of equal length. */
export function* renderWorkbook(rows: Iterable<readonly WorkbookCell[]>): Generator<Uint8Array> {
  const packed: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    packed.push(chunk)
  })
  function* write(name: string, parts: Iterable<string>): Generator<Uint8Array> {
    const file = Object.assign(new ZipDeflate(name), { mtime })
    zip.add(file)
    for (const part of parts) {
      file.push(strToU8(part))
      yield* packed.splice(0)
    }
    file.push(new Uint8Array(), true)
  }
  for (const [name, content] of Object.entries(files)) yield* write(name, [xml + content])
  yield* write('xl/worksheets/sheet1.xml', renderSheet(rows))
  zip.end()
  yield* packed
}

function* renderSheet(rows: Iterable<readonly WorkbookCell[]>): Generator<string> {
  yield `${xml}<worksheet xmlns="${main}"><sheetData>`
  let line = 0
  for (const row of rows) {
    line += 1
    const cells = row.map((cell, column) => renderCell(cell, nameCell(column, line)))
    yield `<row r="${line}">${cells.join('')}</row>`
  }
  yield '</sheetData></worksheet>'
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

// The names of cells: 'BC7' is the cell in the column 54 (the first is 0) and the line 7.

/** Undefined if the name is not one of a cell in the line. */
export const readColumn = (name: string, line: number): number | undefined =>
  /^[A-Z]{1,3}\d+$/.test(name) && name.replace(/^[A-Z]+/, '') === String(line)
    ? [...name.replace(/\d+/, '')].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
    : undefined

const nameColumn = (column: number): string =>
  (column < 26 ? '' : nameColumn(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

export const nameCell = (column: number, line: number): string => `${nameColumn(column)}${line}`
