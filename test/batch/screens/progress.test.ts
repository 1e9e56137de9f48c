// The progress of a batch, drawn and as a line.
import { describe, expect, test } from 'vitest'
import {
  type BatchProgress,
  formatBatchProgress,
  renderBatchProgress,
} from '../../../src/batch/run/progress.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { widthOf } from '../../../src/ui/terminal/text.ts'
import { themeFor } from '../../../src/ui/terminal/view.ts'
import { inWords } from '../../ui/screens.ts'

const half: BatchProgress = {
  name: 'orders',
  cards: { ordered: 800, delivered: 312, failed: 2, duplicate: 0, unknown: 0 },
  orders: 32,
  ordersDone: 12,
  ordersInFlight: 4,
  spent: decimal('3120'),
  maxTotal: decimal('5000'),
  wallet: 'USD',
  elapsedMs: 120_000,
  deliveredNow: 312,
}

const draw = (progress: BatchProgress, width = 80, hasUnicode = true, colour = false): string[] =>
  renderBatchProgress(progress, { width, hasUnicode, theme: themeFor({ colour }) }).map((line) =>
    line.replace(/\n$/, ''),
  )

const withCards = (cards: Partial<BatchProgress['cards']>): BatchProgress => ({
  ...half,
  cards: { ...half.cards, failed: 0, ...cards },
})

const trouble = { reason: 'connection refused', since: Date.UTC(2026, 10, 23, 9) }

describe('the lines on a terminal', () => {
  test('show the bar, the orders, the amount, the pace and the problems', () => {
    expect(draw({ ...half, cards: { ...half.cards, unknown: 1 }, trouble })).toEqual([
      `orders  ${'█'.repeat(15)}${'░'.repeat(25)}  312 of 800 cards delivered`,
      '12 of 32 orders, 4 in progress, 3,120.00 of 5,000.00 USD spent',
      '156 cards a minute, about 3 min left',
      '2 failed, 1 unknown',
      'waiting since 2026-11-23 09:00 UTC: connection refused',
    ])
  })

  test('use ASCII without Unicode', () => {
    const lines = draw(half, 80, false)
    expect(lines[0]).toBe(`orders  [${'#'.repeat(14)}${'-'.repeat(24)}]  312 of 800 cards delivered`)
    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/)
  })

  test('have colours that only repeat the text', () => {
    const [head, , , problems] = draw(half, 80, true, true)
    expect(inWords(head ?? '')).toBe(
      `<strong>orders</>  <good>${'█'.repeat(15)}</><quiet>${'░'.repeat(25)}</>  312 of 800 cards delivered`,
    )
    expect(inWords(problems ?? '')).toBe('<warning>2 failed</>')
    expect(draw(half, 80, true, true).map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(draw(half))
  })

  test.each([20, 30, 40, 60, 80, 132])('fit %i columns', (width) => {
    for (const hasUnicode of [true, false]) {
      for (const name of ['orders', 'gutscheine-für-alle-mitarbeiter-2026', '日本語'.repeat(30)]) {
        const lines = draw({ ...half, name, trouble }, width, hasUnicode)
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
        expect(lines.join(' ')).toContain(width < 26 ? '312 of 800 cards' : '312 of 800 cards delivered')
      }
    }
  })

  test('break on a narrow terminal where a part ends', () => {
    expect(draw(half, 40)).toEqual([
      'orders',
      `${'█'.repeat(15)}${'░'.repeat(25)}`,
      '312 of 800 cards delivered',
      '12 of 32 orders, 4 in progress',
      '3,120.00 of 5,000.00 USD spent',
      '156 cards a minute, about 3 min left',
      '2 failed',
    ])
  })

  test('have a full bar only if all cards are delivered, and no cap before somebody consented to one', () => {
    const barOf = (delivered: number) => /[█░]+/.exec(draw(withCards({ delivered }))[0] ?? '')?.[0]
    expect([0, 799, 800].map(barOf)).toEqual(['░'.repeat(40), `${'█'.repeat(39)}░`, '█'.repeat(40)])
    expect(draw({ ...half, maxTotal: undefined })[1]).toContain('4 in progress, 3,120.00 USD spent')
  })

  test('keep control characters out', () => {
    const lines = draw({ ...half, name: 'a\u001b[2Jb', wallet: 'U\u0007D' })
    expect(lines.join('')).not.toMatch(/[\u001b\u0007]/)
  })
})

describe('the time left and the rate', () => {
  test.each<[string, Partial<BatchProgress>, string[]]>([
    ['nothing was delivered yet', { deliveredNow: 0 }, []],
    ['the batch has just started', { elapsedMs: 4_999 }, []],
    ['less than a minute', { elapsedMs: 30_000 }, ['624 cards a minute, less than 1 min left']],
    ['an hour, rounded', { deliveredNow: 1, elapsedMs: 7_400 }, ['8.1 cards a minute, about 1 h left']],
    ['many hours', { deliveredNow: 1, elapsedMs: 60_000 }, ['1 card a minute, about 8 h left']],
    ['days', { deliveredNow: 1, elapsedMs: 3_600_000 }, ['less than 0.1 cards a minute, about 20 days left']],
  ])('%s', (_case, part, expected) => {
    const [, ...lines] = draw({ ...half, ...part })
    const before = '12 of 32 orders, 4 in progress, 3,120.00 of 5,000.00 USD spent'
    expect(lines.join(', ')).toBe([before, ...expected, '2 failed'].join(', '))
  })

  test('failed and unknown cards are not waited for', () => {
    expect(
      draw(withCards({ delivered: 700, failed: 60, duplicate: 0, unknown: 40 })).join('\n'),
    ).not.toContain('left')
  })
})

describe('the plain line', () => {
  test('has all numbers, and the time that is left only while the run goes on', () => {
    const numbers =
      'orders: 312 of 800 cards delivered, 12 of 32 orders, 3,120.00 of 5,000.00 USD spent, 2 failed'
    expect(formatBatchProgress(half)).toBe(`${numbers}, about 3 min left`)
    expect(formatBatchProgress({ ...half, trouble, isOver: true })).toBe(numbers)
  })

  test('of a small batch in yen', () => {
    const cards = { ordered: 1, delivered: 0, failed: 0, duplicate: 0, unknown: 1 }
    const small = { ...half, cards, orders: 1, ordersDone: 0, wallet: 'JPY', deliveredNow: 0, trouble }
    expect(formatBatchProgress(small)).toBe(
      'orders: 0 of 1 card delivered, 0 of 1 order, 3,120 of 5,000 JPY spent, 1 unknown, waiting since 2026-11-23 09:00 UTC: connection refused',
    )
  })
})
