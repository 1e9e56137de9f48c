// Rows from .xlsx: src/batch/input/workbook/

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { renderWorkbook } from '../../../src/ui/cards/workbook.ts'
import { isAllRun } from '../../support/cases.ts'
import { listOddWorkbooks } from './odd-workbooks.ts'
import { describeRows, readRows, refusalOf } from './read.ts'
import { lie, main, type Parts, partsOf, sheetOf, workbook, workbookOf, zip } from './zipped.ts'

const name = 'orders.xlsx'
const rowsOf = async (content: Uint8Array, given = {}) =>
  describeRows(await readRows(content, { name, ...given }))
const header = ['sku', 'quote', 'quantity', 'note']
const one = [header, ['A', 25, 2, 'x']]
const simple = ['note', '2: A:25x2/fixed | x']

test('rows of a workbook that orderctl wrote', async () => {
  const rows = [
    header,
    ['A', { number: '12.5' }, { number: '2' }, ' <Ä&"> \u0001_x0041_\n007 '],
    ['B', { number: '1' }, undefined, '👍'],
  ]
  expect(await rowsOf(Buffer.concat([...renderWorkbook(rows)]))).toEqual([
    'note',
    '2: A:12.5x2/fixed |  <Ä&"> \u0001_x0041_\n007 ',
    '3: B:1x1/fixed | 👍',
  ])
})

const styles = `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy&quot;x&quot;"/><numFmt numFmtId="165" formatCode="0.00&quot;d&quot;"/><numFmt numFmtId="166" formatCode="00000"/><numFmt numFmtId="167" formatCode="General"/><numFmt numFmtId="168" formatCode="0_ ;[Red]-0 "/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="1"/></cellXfs></styleSheet>`
const shared = `<sst xmlns="${main}"><si><t>A</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si/></sst>`

test.each([
  ['<c t="s"><v>1</v></c>', 'rich'],
  ['<c t="str"><f>1&amp;2</f><v>12</v></c>', '12'],
  ['<c t="b"><v>1</v></c>', 'TRUE'],
  ['<c s="1"><v>46082</v></c>', '2026-03-01'],
  ['<c s="3"><v>46082.25</v></c>', '2026-03-01 06:00:00'],
  ['<c><f>1+1</f><v>2</v></c>', '2'],
  ['<c><v>1E+2</v></c>', '100'],
  ['<c t="inlineStr"><is><t><![CDATA[a<b]]></t></is></c>', 'a<b'],
])('the cell %s is %j', async (cell, value) => {
  const content = workbookOf(
    { S: { xml: sheetOf([header, ['<c t="s"><v>0</v></c>', 25, 2, cell]]) } },
    { 'xl/styles.xml': styles, 'xl/sharedStrings.xml': shared },
  )
  expect(await rowsOf(content)).toEqual(['note', `2: A:25x2/fixed | ${value}`])
})

test('an SKU may be a number if it is shown as it is', async () => {
  const skus = ['', ' s="5"', ' s="6"', ' s="7"'].map((style) => `<c${style}><v>12</v></c>`)
  const rows = [...skus, '<c s="4" t="str"><v>00012</v></c>'].map((sku) => [
    sku,
    25,
    1,
    '<c s="4"><v>7</v></c>',
  ])
  const content = workbookOf({ S: { xml: sheetOf([header, ...rows]) } }, { 'xl/styles.xml': styles })
  const read = await readRows(content, { name })
  expect(read.rows.map(({ sku }) => sku)).toEqual(['12', '12', '12', '12', '00012'])
})

test('empty rows, rows with only a format, and a prefix change nothing but the line', async () => {
  expect(
    await rowsOf(workbook([undefined, header, undefined, ['<c s="1"/>'], ['A', 25, 2, 'x'], [' ']])),
  ).toEqual(['note', '5: A:25x2/fixed | x'])
  const xml = sheetOf(one)
    .replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
    .replace('xmlns', 'xmlns:x')
  expect(await rowsOf(workbookOf({ S: { xml } }))).toEqual(simple)
})

test.runIf(isAllRun)('values allow for more elements', async () => {
  const many = (count: number, elements: number) =>
    workbook(
      [['sku', 'quote', 'Anzahl'], ...Array.from({ length: count }, () => ['A', 25, 2])],
      '<a/>'.repeat(elements),
    )
  expect(await rowsOf(many(4000, 1.02e6), { ignore: ['Anzahl'] })).toHaveLength(4001)
})

test('the first visible sheet, or --sheet', async () => {
  const other = sheetOf([header, ['B', 5, 1, 'y']])
  const content = workbookOf({
    Old: { xml: other, state: 'hidden' },
    'A &amp; B': { xml: sheetOf(one) },
    Last: { xml: other },
  })
  expect(await rowsOf(content)).toEqual(simple)
  for (const sheet of ['Old', 'Last'])
    expect((await rowsOf(content, { sheet }))[1]).toBe('2: B:5x1/fixed | y')
  expect((await refusalOf(content, { name, sheet: 'last' }))[0]).toBe(
    "orders.xlsx has no sheet 'last'; sheets: 'Old', 'A & B', 'Last'; nothing was sent",
  )
  expect((await refusalOf('sku,quote\nA,5\n', { sheet: 'Last' }))[0]).toContain(
    'is not an .xlsx workbook, so it has no sheets',
  )
})

describe('a row is refused', () => {
  test.each([
    [
      ['A', 24.990000000002, 1],
      'quote is 24.990000000002; allowed: at most 2 decimals; round the number in the cell',
    ],
    [['A', '1,250', 1], 'quote is "1,250"; allowed: 1250 or 1.2500, because 1,250 can be either'],
    [['A', 25, 1.5], 'quantity is 1.5; allowed: a whole number from 1 to 500000'],
    [['A', '<c t="e"><v>#N/A</v></c>', 1], 'the row contains the error #N/A in B2'],
    [['A', '<c><f>B1*2</f></c>', 1], 'the row contains a formula without a stored value in B2'],
    [
      ['A', 25, 1, '<c><v>1234567890123450</v></c>'],
      'the row contains a number with more than 15 digits, which spreadsheets round (format the cell as text) in D2',
    ],
    [
      ['A', '<c s="1"><v>46082</v></c>', 1],
      'quote is "2026-03-01"; allowed: a number above 0, such as 25 or 12,50',
    ],
    [['A', 25, '<c t="s"><v>77</v></c>'], 'the row contains the invalid value 77 in C2'],
    [
      ['<c s="4"><v>12</v></c>', 25, 1],
      'the row contains 12, which its number format may show differently (format the cell as text, and type it again) in A2',
    ],
    [['Summe', 25, 1], 'this looks like a totals row; remove it, or correct its sku'],
  ])('%j', async (row, problem) => {
    const content = workbookOf({ S: { xml: sheetOf([header, row]) } }, { 'xl/styles.xml': styles })
    expect((await refusalOf(content, { name }))[1]).toBe(`line 2: ${problem}`)
  })

  test('if it is hidden, such as by a filter', async () => {
    const xml = sheetOf([...one, ['B', 5, 1]]).replace('<row r="3"', '<row r="3" hidden="1"')
    expect((await refusalOf(workbookOf({ S: { xml } }), { name }))[1]).toBe(
      'line 3: the row is hidden; unhide or delete it',
    )
  })
})

const damage = (at: number): Buffer => {
  const bytes = workbook(one)
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  return bytes
}
const repeated = (text: string, megabytes: number): string =>
  text.repeat(Math.floor((megabytes * 2 ** 20) / text.length))
const sheetPart = 'xl/worksheets/sheet0.xml'
const parts = partsOf({ Orders: { xml: sheetOf(one) } }, { 'xl/sharedStrings.xml': shared })
const withParts = (more: Parts): Buffer => zip({ ...parts, ...more })
const withSheet = (xml: string): Buffer => withParts({ [sheetPart]: xml })
/** A third row, which is shown as it is bought unless something changes the sheet. */
const rows = sheetOf([...one, ['B', 25, 50, 'y']])
const changed = (from: string | RegExp, to: string): Buffer => withSheet(rows.replace(from, to))
const above = (xml: string): Buffer => changed('<sheetData>', `${xml}<sheetData>`)
const decoy = sheetOf([header, ['A', 25, 50, 'x']])
/** The cell C3, or a different one, has the format. */
const formatted = (code: string, cell = '<c r="C3" s="4"'): Buffer => {
  const changed = rows.replace(cell.replace(' s="4"', ''), cell)
  return workbookOf({ Orders: { xml: changed } }, { 'xl/styles.xml': styles.replace('"00000"', `"${code}"`) })
}
const conditional = (rules: string): Buffer => {
  const dxfs = '<dxfs><dxf><font/></dxf><dxf><numFmt numFmtId="200" formatCode="0%"/></dxf></dxfs>'
  const xml = rows.replace('</sheetData>', `$&<conditionalFormatting>${rules}</conditionalFormatting>`)
  return workbookOf({ Orders: { xml } }, { 'xl/styles.xml': styles.replace('</styleSheet>', `${dxfs}$&`) })
}
const renamed = (from: string, to: string): Buffer => {
  const bytes = withParts({ [from]: parts[sheetPart] ?? '' })
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
}
const merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
const hidden = 'line 3: the row is hidden; unhide or delete it'
const misplaced = 'at a wrong place'
const several = 'contains several values in C3'
const large = 'MiB'
const unreadable = 'is a workbook that orderctl cannot read'
const tooMany = 'too many cells'
const tooManyFilled = 'has more than 400,000 cells with content'

/** The first rows are those that are shown. */
const filled = (cells: number): Buffer => {
  const row = (length: number) => `<row>${'<c t="str"><v> </v></c>'.repeat(length)}</row>`
  const more = cells - 12
  return changed('</sheetData>', `${row(1000).repeat(more / 1000)}${row(more % 1000)}$&`)
}
const emptyRow = `<row>${'<c/>'.repeat(1000)}</row>`

type Attack = [name: string, create: () => Buffer, problem: string]

const isRefused = async (_: string, create: Attack[1], problem: string) => {
  const refusal = await refusalOf(create(), { name })
  expect(refusal.join('\n')).toContain(problem)
  expect(refusal.at(-1)).not.toBe('')
}

describe('a workbook is refused', () => {
  test.each<Attack>([
    ['merged cells', () => workbook(one, merged), 'contains merged cells: A2:A3'],
    [
      'an old workbook',
      () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'is an .xls workbook, or a workbook with a password',
    ],
    ['a different archive', () => zip({ 'content.xml': '<office/>' }), 'is not an .xlsx workbook'],
    ['half a workbook', () => workbook(one).subarray(0, 400), unreadable],
    ['a wrong byte', () => damage(workbook(one).indexOf(sheetPart) + 60), unreadable],
    ['an entry beyond its end', () => damage(workbook(one).length - 4), unreadable],
    ['no sheet', () => workbookOf({}), 'has no sheet with rows; sheets: none'],
    ['no rows', () => workbook([header]), 'has no rows'],
    [
      'an error in the header',
      () =>
        workbook([
          ['sku', '<c t="e"><v>#REF!</v></c>'],
          ['A', 1],
        ]),
      'has a header row that contains the error #REF! in B1',
    ],

    [
      'a hidden column',
      () => above('<cols><col min="3" max="3" hidden="1"/></cols>'),
      'has a header row that is hidden in C1',
    ],
    [
      'a column without width',
      () => above('<cols><col min="2" max="9" width="0"/></cols>'),
      'has a header row that is hidden in B1',
    ],
    [
      'a narrow column',
      () => above('<cols><col min="x" max="x" width="0.1"/></cols>'),
      'has a header row that is hidden in A1',
    ],
    [
      'columns after the rows',
      () => changed('</sheetData>', '</sheetData><cols><col min="3" hidden="1"/></cols>'),
      'columns after the rows',
    ],
    ['a hidden row', () => changed('<row r="3"', '<row r="3" hidden="true"'), hidden],
    ['a row without height', () => changed('<row r="3"', '<row r="3" ht="0"'), hidden],
    ['a low row', () => changed('<row r="3"', '<row r="3" ht="1e-3" customHeight="1"'), hidden],
    ['a height that is no number', () => changed('<row r="3"', '<row r="3" ht=""'), hidden],
    ['rows without height', () => above('<sheetFormatPr zeroHeight="1"/>'), 'hides rows or columns'],
    ['rows with height 0', () => above('<sheetFormatPr defaultRowHeight="0"/>'), 'hides rows or columns'],
    ['columns with width 0', () => above('<sheetFormatPr defaultColWidth="0"/>'), 'hides rows or columns'],

    ['a row again', () => changed('<row r="3"', '<row r="2"'), 'a row at a wrong place after line 2'],
    ['a row above', () => changed('<row r="3"', '<row r="1"'), 'a row at a wrong place after line 2'],
    [
      'a row Infinity',
      () => changed('<row r="3"', '<row r="Infinity"'),
      'a row at a wrong place after line 2',
    ],
    [
      'a row below the last one',
      () => changed('<row r="3"', '<row r="1048577"'),
      'a row at a wrong place after line 2',
    ],
    ['a cell of another line', () => changed('"C3"', '"C2"'), 'a cell at a wrong place in line 3'],
    ['a cell again', () => changed('"C3"', '"B3"'), 'a cell at a wrong place in line 3'],
    ['a cell beyond the last column', () => changed('"D3"', '"XFE3"'), 'a cell at a wrong place in line 3'],
    ['a cell without a name', () => changed('"C3"', '"c3"'), 'a cell at a wrong place in line 3'],
    ['two values', () => changed('<v>50</v>', '<v>1</v><v>50</v>'), misplaced],
    ['a value and a text', () => changed('<v>50</v>', '<v>1</v><is><t>50</t></is>'), several],
    ['two texts', () => changed('<t>y</t>', '<t>y</t><t>z</t>'), misplaced],
    ['an element in a value', () => changed('<v>50</v>', '<v>5<x/>0</v>'), misplaced],
    ['a value beside the cell', () => changed('</c></row>', '</c><v>50</v></row>'), misplaced],
    ['two sheets of rows', () => changed('</sheetData>', '</sheetData><sheetData/>'), misplaced],
    [
      'rows in an alternative',
      () => changed('</sheetData>', '<a:b xmlns:a="a"><row/></a:b></sheetData>'),
      misplaced,
    ],
    [
      'rows in an extension',
      () => changed('</sheetData>', '</sheetData><extLst><ext><row/></ext></extLst>'),
      misplaced,
    ],

    ['a part in other letters', () => withParts({ [sheetPart.toUpperCase()]: decoy }), 'two names'],
    ['a part with a slash', () => withParts({ [`/${sheetPart}`]: decoy }), 'two names'],
    ['a part with another slash', () => withParts({ [sheetPart.replaceAll('/', '\\')]: decoy }), 'two names'],
    ['a part twice', () => renamed('xl/worksheets/sheet9.xml', sheetPart), 'two names'],
    [
      'a sheet twice',
      () =>
        withParts({
          'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
            /<Relationship I[^>]*>/,
            '$&$&',
          ),
        }),
      'several parts',
    ],
    [
      'a part with other texts',
      () =>
        withParts({
          'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
            /<Relationship Id="r1"[^>]*>/,
            (all) => all + all.replace('r1', 'r9'),
          ),
        }),
      'several parts',
    ],
    [
      'a part with an escape in its name',
      () =>
        withParts({
          'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
            'sheet0',
            'sheet%30',
          ),
          'xl/worksheets/sheet%30.xml': decoy,
        }),
      'an escape in xl/worksheets/sheet%30.xml',
    ],
    [
      'a second directory',
      () => Buffer.concat([workbook(one), workbook([header, ['A', 25, 50, 'x']])]),
      'its directory',
    ],
    ['a sheet that is cut', () => withSheet(rows.replace(/<row r="3".*/, '<!--')), 'unclosed tag'],
    ['a document type', () => withSheet(`<!DOCTYPE a [<!ENTITY b "50">]>${rows}`), 'a document type'],
    ['a different version', () => withSheet(`<?xml version="1.1"?>${rows}`), 'not XML 1.0'],
    ['a different encoding', () => withSheet(`<?xml version="1.0" encoding="utf-16"?>${rows}`), 'UTF-8'],
    [
      'bytes that are no UTF-8',
      () => zip({ ...parts, [sheetPart]: Buffer.from(rows.replace('y', 'ÿ'), 'latin1') }),
      sheetPart,
    ],

    ['a percentage', () => formatted('0%'), 'contains 50, which its number format may show differently'],
    ['a number that is not shown', () => formatted(';;;'), 'in C3'],
    ['a number in thousands', () => formatted('0,'), 'in C3'],
    ['an escaped point', () => formatted('0\\.00'), 'in C3'],
    ['a quoted point', () => formatted('0&quot;.&quot;00'), 'in C3'],
    ['a point as currency', () => formatted('0[$.-409]00'), 'in C3'],
    ['a quoted percent sign', () => formatted('0&quot;%&quot;'), 'in C3'],
    ['a column filled with nines', () => formatted('0*9'), 'in C3'],
    ['a hidden text', () => formatted('0;;;', '<c r="A3" s="4"'), 'contains B, which its number format'],
    [
      'a number format of a condition',
      () => conditional('<cfRule type="cellIs" dxfId="1"/>'),
      'has a conditional format that changes numbers',
    ],
    [
      'a number format of a new condition',
      () => conditional('<cfRule dxfId="0"/><x:cfRule xmlns:x="x"><x:dxf><numFmt/></x:dxf></x:cfRule>'),
      '<numFmt> at a wrong place',
    ],
    [
      'a condition in an alternate',
      () => conditional('<cfRule dxfId="0"/><y:b xmlns:y="y"><cfRule dxfId="1"/></y:b>'),
      '<cfRule> at a wrong place',
    ],
    ['a number with more digits', () => formatted('0&quot;0&quot;'), 'in C3'],

    ['2 GB, as it states', () => lie(workbook(one), sheetPart, { size: 2 ** 31 }), large],
  ])('%s', isRefused)

  // The limits on what is read: each takes a second.
  test.runIf(isAllRun).each<Attack>([
    [
      'a smaller size than the true one',
      () => lie(withSheet(repeated(' ', 30)), sheetPart, { size: 100 }),
      unreadable,
    ],
    [
      'more than 64 MiB',
      () => withParts({ [sheetPart]: repeated(' ', 33), 'xl/sharedStrings.xml': repeated(' ', 33) }),
      '(more than 64 MiB',
    ],
    [
      '25 million elements',
      () => withParts({ 'xl/workbook.xml': `<workbook>${'<a/>'.repeat(25e6)}</workbook>` }),
      'more than 4 MiB in xl/workbook.xml',
    ],
    ['100 MB of attributes', () => withSheet(`<worksheet ${repeated("a='' ", 100)}>`), '(more than 64 MiB'],
    ...['<a/>', '<a b="">', '<!---->', '&lt;', '<![CDATA[]]>', '<?a?>'].map((text): Attack => {
      const end = text === '<a b="">' ? '</a>' : ''
      return [`a million ${text}`, () => changed('<sheetData>', `${(text + end).repeat(1e6)}$&`), tooMany]
    }),
    ['a million empty cells', () => changed('</sheetData>', `${emptyRow.repeat(1000)}$&`), tooMany],
    ['400,001 cells with content', () => filled(400_001), tooManyFilled],
    [
      'a million cells in a row',
      () => changed('</sheetData>', `<row>${'<c/>'.repeat(1e6)}</row>$&`),
      'a cell at a wrong place in line 4',
    ],
    [
      'a million attributes',
      () => changed('<row', `<row ${Array.from({ length: 1e6 }, (_, index) => `a${index}=''`).join(' ')}`),
      tooMany,
    ],
    [
      'many levels',
      () => withSheet(rows.replace('<sheetData', `${'<a>'.repeat(1e6)}<sheetData`)),
      'too many levels',
    ],
    [
      'many texts',
      () => withParts({ 'xl/sharedStrings.xml': `<sst xmlns="${main}">${'<si/>'.repeat(1e6)}</sst>` }),
      tooManyFilled,
    ],
    [
      'a million rows',
      () =>
        withSheet(
          sheetOf([header]).replace(
            '</row>',
            `</row>${'<row><c><v>1</v></c><c><v>1</v></c></row>'.repeat(1e6)}`,
          ),
        ),
      'has too many rows',
    ],
  ])('%s', isRefused)

  test('a byte that is wrong never ends in a defect', async () => {
    const intact = workbook(one)
    for (let at = 0; at < intact.length; at += isAllRun ? 3 : 30) {
      const bytes = damage(at)
      const read = await readRows(bytes, { name }).catch((error) => error)
      expect(read, String(at)).toSatisfy((result) => result instanceof Failure || result.rows.length === 1)
    }
  })

  test.runIf(isAllRun)('400,000 cells with content are not too many', async () => {
    expect(await rowsOf(filled(400_000))).toHaveLength(3)
  })

  test('a column far to the right costs no memory', async () => {
    const xml = sheetOf(one).replace('</sheetData>', '<row r="9"><c r="XFD9"/></row></sheetData>')
    const far = xml.replace('<c r="XFD9"/>', '<c r="XFD9"><v>1</v></c>')
    expect((await refusalOf(workbookOf({ S: { xml: far } }), { name }))[0]).toContain(
      'has more than 256 columns',
    )
  })
})

test('100 odd workbooks are read as openpyxl shows them, or are refused', async () => {
  const shown = readFileSync(path.join(import.meta.dirname, 'odd-workbooks.jsonl'), 'utf8')
    .trim()
    .split('\n')
  let refused = 0
  for (const [index, { bytes, isHostile }] of listOddWorkbooks().entries()) {
    const read = await readRows(bytes, { name, map: ['quote=quote'] }).catch((error) => error)
    if (read instanceof Failure && isHostile) refused += 1
    else
      expect(read instanceof Failure ? read.message : describeRows(read).slice(1), String(index)).toEqual(
        JSON.parse(shown[index] ?? ''),
      )
  }
  expect(refused).toBe(29)
})
