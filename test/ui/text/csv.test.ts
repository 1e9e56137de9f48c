// Cards as CSV: no cell is a formula, and a CSV parser with the rule of --help restores each value.
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { renderCsv } from '../../support/exported.ts'

type Row = Record<string, string>

const rowsOf = (text: string): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' })
const back = (cell = ''): string => cell.replaceAll(/(?<=(?:^|[,;\t\r\n])["\s]*)'/g, '')

const orderOf = (codes: readonly string[]) => {
  const cards = codes.map((redeemCardCode) => ({ redeemCardCode }))
  const redeem = new Map([['X', { cards, currency: 'EUR', value: decimal('20') }]])
  return { uid: 'ord_1', reference: 'PO-1', products: new Map(), redeem }
}

test('a code of any text is restored and is never a formula', () => {
  const character = fc.oneof(fc.constantFrom(...'=+-@\t\r\n\'",;＝ 0a'), fc.string({ unit: 'grapheme' }))
  const text = fc.array(character).map((parts) => parts.join(''))
  const codes = fc.array(
    text.filter((code) => code.trim() !== ''),
    { minLength: 1 },
  )
  const formulas = ['=1+1', '+4912', '-12', '@SUM(A1)', '\tx', "'=1", "''", '＝1', '0042', 'a"b,c', 'a\r\nb']
  const inside = [
    'x;=WEBSERVICE(A1);y',
    'x\t@A1',
    'x;" ＝1',
    'x, "-1',
    "x;'=1",
    'x\n=1',
    ' =1',
    ';\t=',
    'a;b',
  ]
  fc.assert(
    fc.property(codes, (given) => {
      const text = renderCsv(orderOf(given))
      const cells = rowsOf(text).map(({ code }) => code)
      expect(cells.map(back)).toEqual(given)
      expect(cells.filter((cell) => /^[\t\r\n]/.test(cell ?? ''))).toEqual([])
      // However a program splits the file, whichever separator it takes.
      expect(text.split(/[,;\t\r\n]["\s]*/).filter((part) => /^[=+\-@＝＋－＠]/.test(part))).toEqual([])
    }),
    { examples: [[formulas], [inside]] },
  )
  const kept = rowsOf(renderCsv(orderOf(['J700-CEWB', '0042', 'x=1', 'a; b, c-d']))).map(({ code }) => code)
  expect(kept).toEqual(['J700-CEWB', '0042', 'x=1', 'a; b, c-d'])
})
