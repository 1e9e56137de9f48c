// Tables fit, align, and pass no control characters.
import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cutText, safeLines, sanitize, widthOf, wrapCell } from '../../../src/ui/terminal/text.ts'
import { type ColumnLayout, renderTable } from '../../../src/ui/text/table.ts'
import { viewOf } from '../screens.ts'

const columns: readonly ColumnLayout[] = [
  { title: 'SKU' },
  { title: 'NAME', narrow: 'wrap' },
  { title: 'NOTE', narrow: 'cut' },
  { title: 'AMOUNT', align: 'right' },
]
const rows = [
  ['A-1', 'ゲームカード 🎮 for all', 'a note that is long', '1,234.50 USD'],
  ['B', 'नमस्ते दुनिया', 'short', '3 JPY'],
  ['C', 'زاهرفون شحن رصيد', '👨‍👩‍👧 ok ❤️', '-0.500 KWD'],
]

describe('a table', () => {
  test('that does not fit wraps and cuts its texts', () => {
    expect(renderTable(columns, rows, viewOf(42))).toMatchInlineSnapshot(`
      "SKU  NAME        NOTE               AMOUNT
      ──────────────────────────────────────────
      A-1  ゲームカー  a note tha…  1,234.50 USD
           ド 🎮 for
           all
      B    नमस्ते दुनिया  short               3 JPY
      C    زاهرفون     👨\\u{200d}…    -0.500 KWD
           شحن رصيد
      "
    `)
  })

  test('that cannot fit becomes blocks of fields', () => {
    expect(renderTable(columns, rows, viewOf(30))).toMatchInlineSnapshot(`
      "sku: A-1
      name: ゲームカード 🎮 for all
      note: a note that is long
      amount: 1,234.50 USD

      sku: B
      name: नमस्ते दुनिया
      note: short
      amount: 3 JPY

      sku: C
      name: زاهرفون شحن رصيد
      note: 👨\\u{200d}👩\\u{200d}👧
        ok ❤️
      amount: -0.500 KWD
      "
    `)
  })
})

const parts = [...'a \n\t字🎮ا\u0301\u202e\u200b\ue000│', '\u001b[2J']
const wild = fc.string({
  unit: fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
  maxLength: 40,
})

describe('with any texts', () => {
  const table = fc.array(fc.tuple(wild, wild, wild, fc.constantFrom('1.00 USD', '-3 JPY')), { maxLength: 5 })

  test('no line is wider than the terminal, and amounts align', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 60, max: 140 }), (cells, width) => {
        const shorten = (sku: string) =>
          sanitize(sku)
            .slice(0, 4)
            .replace(/[^a-z]/g, 'x')
        const short = cells.map(([sku, ...rest]) => [shorten(sku), ...rest])
        const [head = '', , ...body] = renderTable(columns, short, viewOf(width)).trimEnd().split('\n')
        for (const line of body) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        // A table that cannot fit is blocks of fields.
        const aligned = head.endsWith('AMOUNT') ? body : []
        for (const line of aligned.filter((each) => / (1\.00 USD|-3 JPY)$/.test(each)))
          expect(stringWidth(line)).toBe(stringWidth(head))
      }),
    )
  })

  test('wrapping loses only spaces, and cutting keeps the width', () => {
    fc.assert(
      fc.property(wild.map(safeLines), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const bare = (words: string) => words.replace(/[ \n]/g, '')
        expect(bare(wrapCell(text, width).join(''))).toBe(bare(text))
        for (const line of text.split('\n')) expect(widthOf(cutText(line, width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})
