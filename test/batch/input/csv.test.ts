// Rows from CSV: src/batch/input/csv.ts and columns.ts
import { describe, expect, test } from 'vitest'
import { isAllRun } from '../../support/cases.ts'
import { openScratch } from '../../support/scratch.ts'
import { describeRows, readRows, refusalOf } from './read.ts'

const rowsOf = async (...given: Parameters<typeof readRows>) => describeRows(await readRows(...given))

const simple = ['name', '2: GAME-US:25x2/fixed | Ann']

// fuzz.test.ts has the separators, line breaks, quotes and byte order marks.
describe('one row in many files', () => {
  test.each<[string, string | Uint8Array]>([
    ['no line break at the end', 'sku,quote,quantity,name\nGAME-US,25,2,Ann'],
    ['mixed line breaks', 'sku,quote,quantity,name\r\nGAME-US,25,2,Ann\n'],
    ['spaces around fields', 'sku,quote,quantity,name\n GAME-US , 25 , 2 ,Ann\n'],
    ['empty lines at the end', 'sku,quote,quantity,name\nGAME-US,25,2,Ann\n\n\r\n,,,\n  \n'],
  ])('%s', async (_, content) => {
    expect(await rowsOf(content)).toEqual(simple)
  })
})

test('empty quantities and types have defaults; lines count also line breaks in cells', async () => {
  const content =
    '\r\nsku;quote;quantity;productType;note\r\n' +
    'A;25;;;"first\r\nsecond; ""third"""\r\n' +
    '\r\n' +
    'B;12.50;3;range;"a\nb\rc"\r\n' +
    'C;1e1;500000;;\r\n'
  await expect(rowsOf(content)).rejects.toThrow('the rows have 500,004 cards')
  expect(await rowsOf(content.replace('500000', '2.0'))).toEqual([
    'note',
    '3: A:25x1/fixed | first\r\nsecond; "third"',
    '6: B:12.5x3/range | a\nb\rc',
    '9: C:10x2/fixed | ',
  ])
})

test('a row with more or fewer cells than the header is refused: an unquoted decimal comma moves cells', async () => {
  const content = 'sku,quote,quantity,note,\nA,12,50,2,,\nB,25,1,x\nC,12,50\nD,12,50\n'
  const advice = 'quote a cell that contains a separator'
  expect((await refusalOf(content)).slice(1, -1)).toEqual([
    `line 2: has 6 cells, but the header has 5; ${advice}`,
    `lines 4, 5: has 3 cells, but the header has 4; ${advice}, and separate empty cells, too`,
  ])
})

test('--map renames headers', async () => {
  const content = 'Article,Amount,quote,Name\nA,25,q-17,Ann\n'
  expect(await rowsOf(content, { map: ['sku=Article', 'quote= amount '] })).toEqual([
    'quote | Name',
    '2: A:25x1/fixed | q-17 | Ann',
  ])
})

const nothing = '; nothing was sent'
const encodingFix = "In the spreadsheet, choose 'Save as' and the format 'CSV UTF-8'."
const quoteFix =
  'Put a cell with quotation marks, separators or line breaks in quotation marks. Double each quotation mark in it.'
const removeFix = 'Rename or remove one of them.'
const help = 'orderctl batch plan --help'
const wide = `sku,quote,${Array.from({ length: 255 }, (_, index) => `c${index}`)}\nA,25\n`

describe('a file that cannot be read', () => {
  test.each<[string | Uint8Array, what: string, fix: string]>([
    ['', 'is empty', help],
    ['\ufeff \r\n\t\n', 'is empty', help],
    ['sku,quote\n\n,\n', 'has no rows', help],
    [Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a')]), 'is not valid UTF-16 text', encodingFix],
    [
      Buffer.from('sku,quote,name\nA,25,J\xf6rg\n', 'latin1'),
      'is not UTF-8 text, probably Windows-1252',
      encodingFix,
    ],
    [
      'sku,quote,name\nA,25,Ann\nB,25,"Bo\nC,25,Cy\n',
      'has a quotation mark that is never closed, in the row at line 3',
      quoteFix,
    ],
    [
      'sku,quote,name\nA,25,Ann\nB,25,5" cable\n',
      'has a quotation mark in a cell that does not begin with one, in the row at line 3',
      quoteFix,
    ],
    [
      'sku,quote,name\n"A"x,25,Ann\n',
      'has text after a closing quotation mark in the row at line 2',
      quoteFix,
    ],
    [
      'GAME-US,25\nCOFFEE-US,10\n',
      "has no column 'sku' and no column 'quote'; columns: 'GAME-US', '25'",
      'Use --map sku=COLUMN --map quote=COLUMN',
    ],
    [
      'Article No,quote\nA,25\n',
      "has no column 'sku'; columns: 'Article No', 'quote'",
      "Use --map 'sku=Article No'",
    ],
    [
      'SKU,Unit Price\nA,25\n',
      "has no column 'quote'; columns: 'SKU', 'Unit Price'",
      "Use --map 'quote=Unit Price'",
    ],
    [
      'Artikel;Betrag;Anzahl\nA;25,00;2\n',
      "has no column 'sku' and no column 'quote'; columns: 'Artikel', 'Betrag', 'Anzahl'",
      'Use --map sku=Artikel --map quote=Betrag --map quantity=Anzahl',
    ],
    ['sku,quote,SKU\nA,25,B\n', "has two columns 'sku'", removeFix],
    ['sku,quote,name,name \nA,25,B,C\n', "has two columns 'name'", removeFix],
    [wide, 'has more than 256 columns', 'Remove the columns that you do not need.'],
    [','.repeat(1_024), 'has more than 256 columns', 'Remove the columns that you do not need.'],
    [
      `sku,quote,name\nA,25,${'x'.repeat(32_770)}`,
      'has a cell with more than 32,767 characters, at line 2',
      'Shorten the cell.',
    ],
    [
      `sku,quote,name\nA,25,"Ann\n${'B,25,Bob\n'.repeat(4_000)}`,
      'has a cell with more than 32,767 characters, at line 2',
      'Close its quotation mark, or shorten the cell.',
    ],
    [
      `sku,quote\n${`${','.repeat(1_000)}\n`.repeat(10_000)}`,
      'has more than 10,000,000 cells',
      'Remove the columns that you do not need.',
    ],
  ])('$1', async (content, what, fix) => {
    expect(await refusalOf(content)).toEqual([`orders.csv ${what}${nothing}`, fix])
  })

  test('a missing file, a folder, empty standard input, and no file', async () => {
    using scratch = openScratch()
    expect(await refusalOf('', { file: 'missing.csv' })).toEqual([
      'cannot read the rows from missing.csv: no such file or directory',
      '',
    ])
    expect(await refusalOf('', { file: scratch.folder })).toEqual([
      `cannot read the rows from ${scratch.folder}: illegal operation on a directory`,
      '',
    ])
    expect((await refusalOf('', { name: '-' }))[0]).toBe(`standard input is empty${nothing}`)
    expect((await refusalOf(undefined))[0]).toBe(`there are no rows${nothing}`)
  })

  test.each([
    [['sku=Artikel'], "no column 'Artikel', which --map uses for sku"],
    [['sku=quote'], "no column 'quote'"],
    [['sku=quote', 'quote=QUOTE'], "one column 'QUOTE', but --map uses it for both sku and quote"],
  ])('--map is wrong: %j', async (map, what) => {
    const message = `orders.csv has ${what}; columns: 'sku', 'quote'${nothing}`
    expect((await refusalOf('sku,quote\nA,25\n', { map }))[0]).toBe(message)
  })
})

test.each([
  ['plain', 'x', 'x', '\n'],
  ['before a return', 'x', 'x', '\r\n'],
  ['of quotation marks', '"', '""', '\n'],
])('a cell of 32,767 characters is accepted: %s', async (_what, character, written, lineEnd) => {
  const [note, cell] = [character.repeat(32_767), written.repeat(32_767)]
  const text = `sku,quote,note${lineEnd}A,25,${written === 'x' ? cell : `"${cell}"`}${lineEnd}`
  expect(await rowsOf(text)).toEqual(['note', `2: A:25x1/fixed | ${note}`])
})

test.runIf(isAllRun)(
  '100,000 rows are accepted, one more is refused, and so are as many empty lines',
  async () => {
    const content = `sku,quote\n${'A,25\n'.repeat(100_000)}`
    expect((await readRows(content)).rows).toHaveLength(100_000)
    const tooMany = [
      `orders.csv has too many rows; a batch holds at most 100,000${nothing}`,
      'Split it into several batches.',
    ]
    expect(await refusalOf(`${content}A,25\n`)).toEqual(tooMany)
    expect(await refusalOf(content, { products: ['A:25'] })).toEqual(tooMany)
    const empty = [
      'orders.csv has more than 200,000 rows and empty lines; nothing was sent',
      'Remove the empty lines, or split the file into several batches.',
    ]
    expect(await refusalOf(`sku,quote\n${'\r'.repeat(200_000)}`)).toEqual(empty)
  },
)

test('the export of a batch is refused, because the journal must not get its codes', async () => {
  const header = 'sku,quote,quantity,name,order_id,reference,state,error,code,pin,serial,link,expires'
  const [message] = await refusalOf(`${header}\nGAME-US,25,1,Ann,o1,orders-0001,delivered,,SECRET-1,,,,\n`)
  expect(message).toContain('is an export, which contains codes; nothing was sent')
  expect(message).not.toContain('SECRET-1')
})
