// Rows from .xlsx: src/commands/batch/input/workbook/

import { describe, expect, test } from 'vitest'
import { renderWorkbook } from '../../../../src/commands/batch/export/workbook.ts'
import { Failure } from '../../../../src/errors.ts'
import { describeRows, readRows, refusalOf } from './read.ts'
import { sheetOf, workbook, workbookOf, zip } from './zipped.ts'

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

const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy&quot;x&quot;"/><numFmt numFmtId="165" formatCode="0.00&quot;d&quot;"/><numFmt numFmtId="166" formatCode="00000"/><numFmt numFmtId="167" formatCode="General"/><numFmt numFmtId="168" formatCode="0_ ;[Red]-0 "/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="1"/></cellXfs></styleSheet>`
const shared =
  '<sst><si><t>A</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si/></sst>'

test.each([
  ['<c t="s"><v>1</v></c>', 'rich'],
  ['<c t="s"><v>2</v></c>', ''],
  ['<c t="str"><f>1&amp;2</f><v>12</v></c>', '12'],
  ['<c t="b"><v>1</v></c>', 'TRUE'],
  ['<c s="1"><v>46082</v></c>', '2026-03-01'],
  ['<c s="3"><v>46082.25</v></c>', '2026-03-01 06:00:00'],
  ['<c s="2"><v>46082.25</v></c>', '46082.25'],
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
  const xml = sheetOf(one).replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
  expect(await rowsOf(workbookOf({ S: { xml } }))).toEqual(simple)
})

test('an empty cell without an address moves no other cell', async () => {
  const xml = sheetOf([
    ['sku', 'note', 'quote', 'quantity'],
    ['A', '<c/>', 25, 50],
  ])
  expect(await rowsOf(workbookOf({ S: { xml } }))).toEqual(['note', '2: A:25x50/fixed | '])
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
      ['A', 24.990000000000002, 1],
      'quote is 24.990000000000002; allowed: at most 2 decimals; round the number in the cell',
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
    [
      ['A', 25, '<c t="s"><v>77</v></c>'],
      'the row refers to a text that the workbook does not contain in C2',
    ],
    [
      ['<c s="4"><v>12</v></c>', 25, 1],
      'the row contains an SKU in A2 that its number format may show differently: 12 (format the cell as text, and type the SKU again)',
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
const bomb = ' '.repeat(30 * 1024 ** 2)
const million = sheetOf([header]).replace(
  '</row>',
  `</row>${'<row><c t="str"><v>A</v></c><c><v>1</v></c></row>'.repeat(1e6)}`,
)
/** The size that the archive states is not that of the content. */
const lying = (content: string, size: number): Buffer =>
  workbookOf({ S: { xml: '' } }, { 'xl/worksheets/sheet0.xml': { content, size } })
const password = { 'xl/workbook.xml': { content: '', flags: 1 } }
const merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
const errorInHeader = [
  ['sku', '<c t="e"><v>#REF!</v></c>'],
  ['A', 1],
]

describe('a workbook is refused', () => {
  test.each<[string, () => Buffer, string]>([
    ['merged cells', () => workbook(one, merged), 'contains merged cells: A2:A3'],
    [
      'an old workbook',
      () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'is an .xls workbook, or a workbook with a password',
    ],
    ['a different archive', () => zip({ 'content.xml': '<office/>' }), 'is not an .xlsx workbook'],
    ['half a workbook', () => workbook(one).subarray(0, 400), 'is a damaged workbook'],
    ['a wrong byte', () => damage(60), 'is a damaged workbook'],
    ['an entry beyond its end', () => damage(workbook(one).length - 4), 'is a damaged workbook'],
    ['a smaller size than the true one', () => lying(bomb, 100), 'is a damaged workbook'],
    ['2 GB, as it states', () => lying(sheetOf(one), 2 ** 31), 'has more than 256 MB of contents'],
    ['a password', () => workbookOf({ S: { xml: '' } }, password), 'is protected with a password'],
    [
      'a million rows',
      () => workbookOf({ S: { xml: million } }),
      'has more than 100,000 rows; a batch holds at most 100,000',
    ],
    ['no sheet', () => workbookOf({}), 'has no sheet with rows; sheets: none'],
    ['no rows', () => workbook([header]), 'has no rows'],
    [
      'an error in the header',
      () => workbook(errorInHeader),
      'has a header row that contains the error #REF! in B1',
    ],
  ])('%s', async (_, create, problem) => {
    const [message = '', advice] = await refusalOf(create(), { name })
    expect(message).toBe(`orders.xlsx ${problem}; nothing was sent`)
    expect(advice).not.toBe('')
  })

  test('a byte that is wrong never ends in a defect', async () => {
    const intact = workbook(one)
    for (let at = 0; at < intact.length; at += 3) {
      const bytes = damage(at)
      const read = await readRows(bytes, { name }).catch((error) => error)
      expect(read, String(at)).toSatisfy((result) => result instanceof Failure || result.rows.length === 1)
    }
  })

  test.each([
    `<${'a'.repeat(4e6)}`,
    '<!--'.repeat(1e6),
    '<![CDATA['.repeat(1e6),
    '<a "'.repeat(1e6),
    `<a ${'"<" '.repeat(1e6)}`,
    `<c${' x:'.repeat(1e6)}>`,
    '&#x'.repeat(1e6),
  ])('megabytes without an end are read once: %#', async (xml) => {
    const content = workbookOf({ S: { xml: `${sheetOf(one)}${xml}` } }, { 'xl/sharedStrings.xml': xml })
    expect(await rowsOf(content)).toEqual(simple)
  })

  test('a row far below and a column far to the right cost no memory', async () => {
    const xml = sheetOf(one).replace('</sheetData>', '<row r="99999999999"><c r="ZZZ9"/></row></sheetData>')
    expect(await rowsOf(workbookOf({ S: { xml } }))).toEqual(simple)
    const far = xml.replace('<c r="ZZZ9"/>', '<c r="ZZZ9"><v>1</v></c>')
    expect((await refusalOf(workbookOf({ S: { xml: far } }), { name }))[0]).toContain(
      'has more than 256 columns',
    )
  })
})
