// Writes workbooks as other programs do, also damaged and hostile ones.
import { zipSync } from 'fflate'

/** A folder or a file for each part. */
export type Parts = Readonly<Record<string, string | Uint8Array>>

export const zip = (parts: Parts, level: 0 | 6 = 6): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, Buffer.from(content)])),
      { level },
    ),
  )

/** Changes what the directory of an archive says about a part. */
export const lie = (bytes: Buffer, part: string, lies: { size?: number; flags?: number }): Buffer => {
  const at = bytes.lastIndexOf(part) - 46
  if (lies.size !== undefined) bytes.writeUInt32LE(lies.size, at + 24)
  if (lies.flags !== undefined) bytes.writeUInt16LE(lies.flags, at + 8)
  return bytes
}

type Sheet = { readonly xml: string; readonly state?: string }

export const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n'

const relationships = (targets: readonly (readonly [type: string, target: string])[]): string => {
  const list = targets.map(
    ([type, target], index) => `<Relationship Id="r${index}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `${prolog}<Relationships xmlns="${packaged}/relationships">${list.join('')}</Relationships>`
}

/** `more`: other parts, or other contents of the same parts. */
export const partsOf = (sheets: Readonly<Record<string, Sheet>>, more: Parts = {}): Parts => {
  const all = Object.entries(sheets)
  const list = all.map(([name, { state }], index) => {
    const shown = state === undefined ? '' : ` state="${state}"`
    return `<sheet name="${name}" sheetId="${index + 1}"${shown} r:id="r${index}"/>`
  })
  const names = all.map((_, index) => `worksheets/sheet${index}.xml`)
  const others = ['styles', 'sharedStrings'].filter((name) => `xl/${name}.xml` in more)
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${types}.${type}+xml"/>`
  return {
    '[Content_Types].xml': `${prolog}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${[
      override('workbook.xml', 'sheet.main'),
      ...names.map((name) => override(name, 'worksheet')),
      ...others.map((name) => override(`${name}.xml`, name)),
    ].join('')}</Types>`,
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${prolog}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((name) => ['worksheet', name] as const),
      ...others.map((name) => [name, `${name}.xml`] as const),
    ]),
    ...Object.fromEntries(all.map(([, { xml }], index) => [`xl/worksheets/sheet${index}.xml`, prolog + xml])),
    ...more,
  }
}

export const workbookOf = (sheets: Readonly<Record<string, Sheet>>, more?: Parts): Buffer =>
  zip(partsOf(sheets, more))

/** A number, a text, or the XML of a cell without its name. */
type Cell = number | string

/** The lines begin at 1. An undefined row is absent. */
export const sheetOf = (rows: readonly (readonly Cell[] | undefined)[], after = '', before = ''): string => {
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
  return `<worksheet xmlns="${main}">${before}<sheetData>${written.join('')}</sheetData>${after}</worksheet>`
}

export const workbook = (rows: Parameters<typeof sheetOf>[0], after?: string, before?: string): Buffer =>
  workbookOf({ Orders: { xml: sheetOf(rows, after, before) } })
