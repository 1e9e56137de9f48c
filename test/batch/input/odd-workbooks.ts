// Makes 100 odd workbooks from a fixed seed. `node odd-workbooks.ts FOLDER` writes them for odd-workbooks.py, which says
// what openpyxl shows.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { main, type Parts, partsOf, sheetOf, zip } from './zipped.ts'

let seed = 52
/** A whole number below the limit (mulberry32). */
const random = (limit: number): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
}
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

const sheetPart = 'xl/worksheets/sheet0.xml'
const codes = [
  'General',
  '0.00',
  '#,##0.00 "EUR"',
  '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
  '[$$-409]#,##0.00',
  '@',
]
const styles = `<styleSheet xmlns="${main}"><numFmts>${codes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}<numFmt numFmtId="190" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs>${codes.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}<xf numFmtId="190"/></cellXfs></styleSheet>`
const dateStyle = codes.length

const escapeText = (text: string): string =>
  text.replaceAll(/[&<]/g, (all) => `&#${all.charCodeAt(0)};`).replaceAll('"', '&quot;')
/** The same text in a different spelling. */
const spellings = [
  escapeText,
  escapeText,
  (text: string) => `<![CDATA[${text}]]>`,
  (text: string) =>
    escapeText(text.slice(0, 1)) +
    pick(['<!-->50<-->', '<?a 50?>', '<!-- <v>50</v> -->', '<![CDATA[]]>']) +
    escapeText(text.slice(1)),
  (text: string) => [...text].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
]
const spell = (text: string): string => pick(spellings)(text)

const numberCell = (value: string): string =>
  `<c s="${random(3) * random(2)}">${pick(['', '', '<f>1+1</f>'])}<v>${spell(value)}</v></c>`
const textCell = (text: string, texts: string[]): string => {
  const runs = `<r><rPr><b/></rPr><t xml:space="preserve">${spell(text.slice(0, 2))}</t></r><r><t>${spell(text.slice(2))}</t></r>`
  const item = pick([
    `<t xml:space="preserve">${spell(text)}</t>`,
    `${runs}<rPh sb="0" eb="1"><t>50</t></rPh><phoneticPr fontId="1"/>`,
  ])
  if (random(3) === 0) return `<c t="inlineStr"><is>${item}</is></c>`
  if (random(3) === 0) return `<c t="str"><f>A1&amp;B1</f><v>${spell(text)}</v></c>`
  return `<c t="s"><v>${texts.push(`<si>${item}</si>`) - 1}</v></c>`
}

/** Changes of a sheet that do not change what is shown. */
const harmless: ((xml: string) => string)[] = [
  (xml) => xml.replaceAll(/<(\/?)(?!x:)(\w)/g, '<$1p:$2').replace('xmlns=', 'xmlns:p='),
  (xml) => xml.replaceAll(/<c r="[A-Z]+\d+"/g, '<c'),
  (xml) => xml.replaceAll(/<row r="\d+"/g, '<row'),
  (xml) => xml.replaceAll(/(<\/(?:c|row)>)/g, '$1\n\t<!-- <c><v>50</v></c> --> <?a <row>?>'),
  (xml) => xml.replaceAll(/ (r|t|s)="(\w+)"/g, " $1 = '$2'\n"),
  (xml) =>
    xml.replace(
      '</worksheet>',
      '<extLst><ext uri="u" xmlns:x="x"><x:row r="2"><x:c r="A2"><x:v>50</x:v></x:c></x:row></ext></extLst></worksheet>',
    ),
  (xml) =>
    xml.replace(
      '<sheetData>',
      `<sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="4" width="9" hidden="0"/><col min="6" max="9" hidden="1"/></cols><sheetData>`,
    ),
  (xml) =>
    xml.replaceAll(
      '<row ',
      '<row spans="1:4" ht="15" hidden="false" customHeight="1" x:hidden="1" xmlns:x="x" ',
    ),
  (xml) =>
    xml.replace('</sheetData>', '<row r="90" ht="0"/><row r="91"><c r="C91" s="1"/></row></sheetData>'),
  (xml) => `\uFEFF<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n${xml}`,
]

/** Changes of a sheet that a person does not see, or that programs read differently. */
const hostile: ((xml: string) => string)[] = [
  ...[
    'hidden="1"',
    'hidden="true"',
    'width="0"',
    'width="0.0" customWidth="1"',
    'width="9" hidden=" 1 "',
  ].map(
    (how) => (xml: string) =>
      xml.replace('<sheetData>', `<cols><col min="${1 + random(4)}" max="16384" ${how}/></cols><sheetData>`),
  ),
  ...['hidden="1"', 'hidden="true"', 'ht="0"', 'ht="0.0" customHeight="1"'].map(
    (how) => (xml: string) => xml.replace('<row r="2"', `<row ${how} r="2"`),
  ),
  (xml) => xml.replace('<sheetData>', '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><sheetData>'),
  (xml) => xml.replace('<row r="3"', '<row r="2"'),
  (xml) => xml.replace('<row r="2"', '<row r="Infinity"'),
  (xml) => xml.replace('<row r="2"', '<row r="1048577"'),
  (xml) => xml.replace('r="C2"', 'r="C3"'),
  (xml) => xml.replace('r="C2"', 'r="B2"'),
  (xml) => xml.replace(/<v>(.*?)<\/v>/, '<v>$1</v><v>50</v>'),
  (xml) => xml.replace(/<v>(.*?)<\/v>/, '<v>$1<b>50</b></v>'),
  (xml) => xml.replace(/<v>(.*?)<\/v>/, '<v>$1</v><is><t>50</t></is>'),
  (xml) =>
    xml.replace(
      '</sheetData>',
      '</sheetData><sheetData><row r="99"><c t="str"><v>A</v></c></row></sheetData>',
    ),
  (xml) =>
    xml.replace(
      '</worksheet>',
      '<extLst><ext uri="u"><row r="99"><c t="str"><v>A</v></c></row></ext></extLst></worksheet>',
    ),
  (xml) => xml.replace(/<row r="2".*/, '<!-- '),
]

/** Changes of the archive. The last three are hostile. */
const archives: ((parts: Parts) => Parts)[] = [
  (parts) => parts,
  (parts) => ({
    ...parts,
    'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replaceAll(
      'Target="',
      'Target="/xl/',
    ),
  }),
  (parts) => ({ ...parts, [sheetPart.toUpperCase()]: parts[sheetPart] ?? '' }),
  (parts) => ({ [`/${sheetPart}`]: parts[sheetPart] ?? '', ...parts }),
  (parts) => ({ ...parts, 'xl/Styles.xml': styles }),
]

const createWorkbook = () => {
  const texts: string[] = []
  const note = [
    () => textCell(pick(['"b"', '<&>', ' 日本 ', "a'b", 'two words']), texts),
    () => numberCell('0.1'),
    () => '<c t="b"><v>1</v></c>',
    () => `<c s="${dateStyle}"><v>${46_000 + random(900)}</v></c>`,
    () => '<c s="1"/>',
  ]
  const cells: Readonly<Record<string, () => string>> = {
    sku: () => textCell(pick(['GAME-US', 'A&B', 'É <1>', '00012', 'x'.repeat(30)]), texts),
    quote: () => numberCell(pick(['25', '12.50', '1E+2', '.5', '24.990000000000002', '0.30000000000000004'])),
    quantity: () => (random(2) === 0 ? numberCell : textCell)(String(1 + random(60)), texts),
    note: () => pick(note)(),
  }
  const columns = Object.keys(cells).sort(() => random(3) - 1)
  const rows = times(2 + random(3), () => columns.map((column) => cells[column]?.() ?? ''))
  const isHostile = random(3) === 0
  const isArchive = random(4) === 0
  const changes = [
    ...(isHostile && !isArchive ? [pick(hostile)] : []),
    ...harmless.filter(() => random(4) === 0),
  ]
  const xml = changes.reduce((changed, change) => change(changed), sheetOf([columns, ...rows]))
  const other = {
    xml: sheetOf([
      ['sku', 'quote'],
      ['B', 50],
    ]),
    state: pick(['hidden', 'veryHidden']),
  }
  const parts = partsOf(
    { Orders: { xml: '' }, ...(random(3) === 0 ? { " state='visible' ": other } : {}) },
    {
      'xl/styles.xml': styles,
      'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.join('<!-- <si/> -->')}</sst>`,
      [sheetPart]: xml,
    },
  )
  const change = isHostile && isArchive ? archives[2 + random(3)] : archives[random(2)]
  return { bytes: zip(change?.(parts) ?? parts, random(3) === 0 ? 0 : 6), isHostile }
}

export const listOddWorkbooks = () => {
  seed = 52
  return times(100, createWorkbook)
}

const folder = process.argv[1] === import.meta.filename ? process.argv[2] : undefined
if (folder !== undefined) {
  mkdirSync(folder, { recursive: true })
  for (const [index, { bytes }] of listOddWorkbooks().entries())
    writeFileSync(path.join(folder, `${index}.xlsx`), bytes)
}
