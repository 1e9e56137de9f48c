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

const half: BatchProgress = {
  name: 'orders',
  cards: { ordered: 800, delivered: 312, failed: 2, duplicate: 0, unknown: 0 },
  orders: 32,
  ordersDone: 12,
  spent: decimal('3120'),
  maxTotal: '5000',
  wallet: 'USD',
  elapsedMs: 120_000,
  deliveredNow: 312,
}

const draw = (progress: BatchProgress, width = 80, hasUnicode = true): string[] =>
  renderBatchProgress(progress, { width, hasUnicode, theme: themeFor({ colour: false }) })

const withCards = (cards: Partial<BatchProgress['cards']>): BatchProgress => ({
  ...half,
  cards: { ...half.cards, failed: 0, ...cards },
})

const trouble = { reason: 'connection refused', since: Date.UTC(2026, 10, 23, 9) }

describe('the time left', () => {
  test.each<[string, Partial<BatchProgress>, string[]]>([
    ['nothing was delivered yet', { deliveredNow: 0 }, []],
    ['the batch has just started', { elapsedMs: 4_999 }, []],
    ['less than a minute', { elapsedMs: 30_000 }, ['less than 1 min left']],
    ['an hour, rounded', { deliveredNow: 1, elapsedMs: 7_400 }, ['about 1 h left']],
    ['many hours', { deliveredNow: 1, elapsedMs: 60_000 }, ['about 8 h left']],
    ['days', { deliveredNow: 1, elapsedMs: 3_600_000 }, ['about 20 days left']],
  ])('%s', (_case, part, expected) => {
    expect(formatBatchProgress({ ...half, ...part }).split(', 2 failed')[1]).toBe(
      expected.map((text) => `, ${text}`).join(''),
    )
  })

  test('failed and unknown cards are not waited for', () => {
    const all = withCards({ delivered: 700, failed: 60, duplicate: 0, unknown: 40 })
    expect(formatBatchProgress(all)).not.toContain('left')
  })
})

describe('the line', () => {
  test('has all numbers, and the time that is left only while the run goes on', () => {
    const numbers =
      'orders: 312 of 800 cards delivered, 12 of 32 orders, 3,120.00 of 5,000.00 USD spent, 2 failed'
    expect(formatBatchProgress(half)).toBe(`${numbers}, about 3 min left`)
    expect(formatBatchProgress({ ...half, trouble, isOver: true })).toBe(numbers)
    expect(formatBatchProgress({ ...half, maxTotal: undefined })).toContain('orders, 3,120.00 USD spent')
  })
})

describe('the lines on a terminal', () => {
  test.each([20, 30, 40, 60, 80, 132])('fit %i columns', (width) => {
    const lines = draw({ ...half, trouble }, width)
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
    expect(lines.join(' ')).toContain('312 of 800 cards delivered')
  })

  test('begin with a bar, which is full only if all cards are delivered', () => {
    const barOf = (delivered: number) => draw(withCards({ delivered }))[0]
    expect([0, 799, 800].map(barOf)).toEqual(['░'.repeat(40), `${'█'.repeat(39)}░`, '█'.repeat(40)])
    expect(draw(half, 80, false)[0]).toBe(`${'#'.repeat(15)}${'-'.repeat(25)}`)
  })

  test('keep control characters out', () => {
    const lines = draw({ ...half, name: 'a\u001b[2Jb', wallet: 'U\u0007D' })
    expect(lines.join('')).not.toMatch(/[\u001b\u0007]/)
  })
})
