// When the progress of a batch is drawn or printed.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createWaiting } from '../../../src/app/terminal.ts'
import { type BatchProgress, showBatchProgress } from '../../../src/batch/run/progress.ts'
import type { Context } from '../../../src/context.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { screenOf } from '../../support/screen.ts'

type Setting = {
  readonly isTerminal?: boolean
  readonly isShown?: boolean
  readonly isAccessible?: boolean
  readonly environment?: Context['environment']
}

const open = (setting: Setting = {}) => {
  const { isTerminal = true, isShown = true, isAccessible = false, environment = {} } = setting
  const clock = createManualClock()
  const screen = screenOf(80)
  const written: string[] = []
  /** What a test changes. Each read of the journal takes `readMs`. */
  const desk = { delivered: 0, reads: 0, readMs: 0, isBroken: false, isAway: false }
  const write = (text: string): void => {
    if (desk.isBroken) throw new Error('EIO')
    written.push(text)
    screen.write(text)
  }
  const stderr = { ...screen, isTerminal, colour: false, width: 80, write }
  const context = {
    ...{ clock, stderr, isAccessible, platform: 'linux' },
    environment: { LANG: 'C.UTF-8', ...environment },
  } as unknown as Context
  const read = async (): Promise<BatchProgress> => {
    desk.reads += 1
    if (desk.readMs > 0) await clock.sleep(desk.readMs)
    if (desk.isAway) throw new Error('no connection')
    return {
      name: 'orders',
      cards: { ordered: 10, delivered: desk.delivered, failed: 0, duplicate: 0, unknown: 0 },
      ...{ orders: 2, ordersDone: 0, spent: decimal('0'), maxTotal: '500' },
      ...{ wallet: 'USD', elapsedMs: 0, deliveredNow: 0 },
    }
  }
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(Math.min(50, left))
      await nextTurn()
    }
  }
  const end = showBatchProgress(context, {
    ...{ isShown, read, waiting: createWaiting(context, isTerminal && isShown) },
  })
  const head = (): string | undefined => /\d+ of 10 cards delivered/.exec(screen.rows().join(' '))?.[0]
  return { desk, write, rows: screen.rows, head, written, pass, end }
}

describe('on a terminal', () => {
  test('it is read and redrawn once a second, but only if it changed', async () => {
    const { desk, head, rows, written, pass, end } = open()
    await pass(250)
    expect([written, desk.reads]).toEqual([[], 0])
    await pass(100)
    expect(head()).toBe('0 of 10 cards delivered')
    await pass(2_000)
    expect([written.length, desk.reads]).toEqual([1, 3])
    desk.delivered = 4
    await pass(1_000)
    expect(head()).toBe('4 of 10 cards delivered')
    await end()
    expect(rows()).toEqual([])
  })

  test('it comes back below other output', async () => {
    const { rows, write, pass, end } = open()
    await pass(400)
    write('warning: something\n')
    expect(rows()).toEqual(['warning: something'])
    await pass(1_000)
    expect([rows().length, rows()[0]]).toEqual([3, 'warning: something'])
    await end()
    expect(rows()).toEqual(['warning: something'])
  })

  test('a terminal or a journal that fails is tried again, and never ends the work', async () => {
    const { desk, head, pass, end } = open()
    desk.isBroken = true
    await pass(1_000)
    Object.assign(desk, { isBroken: false, isAway: true })
    await pass(1_000)
    expect(head()).toBeUndefined()
    desk.isAway = false
    await pass(1_000)
    expect(head()).toBe('0 of 10 cards delivered')
    desk.isBroken = true
    await end()
  })
})

describe.each<[string, Setting]>([
  ['in a pipe', { isTerminal: false }],
  ['for a screen reader', { isAccessible: true }],
])('%s', (_where, setting) => {
  test('a line is printed each minute, and one at the end', async () => {
    const { desk, written, pass, end } = open(setting)
    await pass(59_950)
    expect(written).toEqual([])
    await pass(50)
    desk.delivered = 4
    await pass(60_000)
    desk.delivered = 10
    await end()
    await pass(120_000)
    const rest = '0 of 2 orders, 0.00 of 500.00 USD spent'
    expect(written).toEqual([0, 4, 10].map((count) => `orders: ${count} of 10 cards delivered, ${rest}\n`))
  })

  test('a pipe or a journal that fails never ends the work', async () => {
    const { desk, written, pass, end } = open(setting)
    desk.isBroken = true
    await pass(60_000)
    desk.isBroken = false
    await pass(60_000)
    expect(written).toHaveLength(1)
    desk.isAway = true
    await pass(60_000)
    await end()
    expect(written).toHaveLength(1)
  })
})

test.each([true, false])(
  'with --json or --quiet, nothing is shown or read (terminal: %s)',
  async (isTerminal) => {
    const { desk, written, pass, end } = open({ isTerminal, isShown: false })
    await pass(130_000)
    await end()
    expect([written, desk.reads]).toEqual([[], 0])
  },
)
