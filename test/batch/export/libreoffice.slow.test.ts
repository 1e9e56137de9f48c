// A different program reads the workbooks that orderctl writes, and orderctl reads those that it writes.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { renderWorkbook } from '../../../src/ui/cards/workbook.ts'
import { isInstalled } from '../../support/installed.ts'
import { openScratch } from '../../support/scratch.ts'
import { describeRows, readRows } from '../input/read.ts'

const convert = (folder: string, file: string, to: string, ...options: string[]): void => {
  const profile = `-env:UserInstallation=file://${path.join(folder, 'profile')}`
  const words = [profile, '--headless', '--convert-to', to, ...options, '--outdir', folder]
  const { status, stderr } = spawnSync('soffice', [...words, path.join(folder, file)], {
    ...{ encoding: 'utf8', timeout: 100_000 },
  })
  if (status !== 0) throw new Error(stderr)
}

// A separator, quotes, UTF-8, every cell as it is formatted, and only texts in quotes.
const asShown = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false'
const german = '--infilter=Text - txt - csv (StarCalc):59,34,76,1,,1031,false,true'

test.skipIf(!isInstalled('soffice'))(
  'LibreOffice shows codes as texts with all digits',
  { timeout: 120_000 },
  () => {
    using scratch = openScratch()
    const code = '0123456789012345'
    const rows = [
      ['code', 'quote', 'note'],
      [code, { number: '12.5' }, '=1+1'],
      [undefined, { number: '25' }, 'a\n<b> "c"'],
    ]
    writeFileSync(path.join(scratch.folder, 'codes.xlsx'), Buffer.concat([...renderWorkbook(rows)]))
    convert(scratch.folder, 'codes.xlsx', asShown)
    expect(readFileSync(path.join(scratch.folder, 'codes.csv'), 'utf8')).toBe(
      `"code","quote","note"\n"${code}",12.5,"=1+1"\n,25,"a\n<b> ""c"""\n`,
    )
  },
)

test.skipIf(!isInstalled('soffice'))(
  'orderctl reads a German file that LibreOffice saved',
  { timeout: 120_000 },
  async () => {
    using scratch = openScratch()
    writeFileSync(
      path.join(scratch.folder, 'in.csv'),
      'sku;quote;quantity;Datum;Name\nA;12,50;2;01.03.2026;Jörg & Co\n\nB;1.234,56;1;;\n',
    )
    convert(scratch.folder, 'in.csv', 'xlsx', german)
    const file = readFileSync(path.join(scratch.folder, 'in.xlsx'))
    expect(describeRows(await readRows(file, { name: 'in.xlsx' }))).toEqual([
      'Datum | Name',
      '2: A:12.5x2/fixed | 2026-03-01 | Jörg & Co',
      '4: B:1234.56x1/fixed |  | ',
    ])
  },
)
