// When the progress of a batch is drawn or printed.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../../../src/commands/batch/run/progress.ts'
import { waitingOn } from '../../../../src/commands/shared/waiting.ts'
import type { Context } from '../../../../src/context.ts'
import { decimal } from '../../../../src/contract/decimal.ts'
import type { BatchProgress } from '../../../../src/ui/screens/batch/batch-progress.ts'
import { createManualClock } from '../../../support/manual-clock.ts'
import { screenOf } from '../../../support/screen.ts'

type Setting = {
  readonly isTerminal?: boolean
  readonly isShown?: boolean
  readonly isAccessible?: boolean
  readonly environment?: Context['environment']
}

const open = ({
  isTerminal = true,
  isShown = true,
  isAccessible = false,
  environment = {},
}: Setting = {}) => {
  const clock = createManualClock()
  const screen = screenOf(80)
  const written: string[] = []
  let isBroken = false
  const stderr = {
    ...screen,
    isTerminal,
    colour: false,
    width: 80,
    write: (text: string) => {
      if (isBroken) throw new Error('EIO')
      written.push(text)
      screen.write(text)
    },
  }
  const context = {
    ...{ clock, stderr, isAccessible, platform: 'linux' },
    environment: { LANG: 'C.UTF-8', ...environment },
  } as unknown as Context
  let delivered = 0
  let reads = 0
  const read = (): BatchProgress => {
    reads += 1
    return {
      name: 'orders',
      cards: { ordered: 10, delivered, failed: 0, duplicate: 0, unknown: 0 },
      ...{ orders: 2, ordersDone: 0, ordersInFlight: 2, spent: decimal('0'), maxTotal: decimal('500') },
      ...{ wallet: 'USD', elapsedMs: 0, deliveredNow: 0 },
    }
  }
  const progress = createProgress(context, {
    isShown,
    source: { latest: read },
    waiting: waitingOn(context, isTerminal && isShown),
  })
  return {
    ...{ progress, stderr, screen, written },
    reads: () => reads,
    deliver: (count: number) => {
      delivered = count
    },
    breakTerminal: (value: boolean) => {
      isBroken = value
    },
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= 50) {
        clock.advance(Math.min(50, left))
        await nextTurn()
      }
    },
  }
}

const headOf = (screen: ReturnType<typeof screenOf>): string | undefined =>
  screen.rows()[0]?.split('  ').at(-1)

describe('on a terminal', () => {
  test('it is redrawn at most ten times a second, and only if it changed', async () => {
    const { progress, screen, written, deliver, pass } = open()
    progress.begin()
    await pass(250)
    expect(written).toEqual([])
    await pass(1_000)
    expect(written).toHaveLength(1)
    expect(headOf(screen)).toBe('0 of 10 cards delivered')
    for (let count = 1; count <= 10; count += 1) {
      for (const part of [count - 0.5, count]) {
        deliver(part)
        await pass(50)
      }
    }
    await pass(50)
    expect(headOf(screen)).toBe('10 of 10 cards delivered')
    expect(written.length).toBeGreaterThan(9)
    expect(written.length).toBeLessThanOrEqual(12)
    await progress.end()
    expect(screen.rows()).toEqual([])
  })

  test('it comes back below other output', async () => {
    const { progress, screen, stderr, pass } = open()
    progress.begin()
    await pass(400)
    stderr.write('warning: something\n')
    expect(screen.rows()).toEqual(['warning: something'])
    await pass(100)
    expect(screen.rows()).toHaveLength(3)
    expect(screen.rows()[0]).toBe('warning: something')
    await progress.end()
    expect(screen.rows()).toEqual(['warning: something'])
  })

  test('nothing is drawn after the end, and nothing at all if the end comes at once', async () => {
    const { progress, written, pass } = open()
    progress.begin()
    await pass(200)
    await progress.end()
    await progress.end()
    await pass(1_000)
    expect(written).toEqual([])
  })

  test('a terminal that fails is tried again, and never ends the work', async () => {
    const { progress, screen, breakTerminal, pass } = open()
    progress.begin()
    breakTerminal(true)
    await pass(1_000)
    breakTerminal(false)
    await pass(100)
    expect(headOf(screen)).toBe('0 of 10 cards delivered')
    breakTerminal(true)
    await progress.end()
  })
})

describe.each<[string, Setting]>([
  ['in a pipe', { isTerminal: false }],
  ['for a screen reader', { isAccessible: true }],
  ['on a dumb terminal', { environment: { TERM: 'dumb' } }],
  ['in CI', { environment: { CI: 'true' } }],
])('%s', (_where, setting) => {
  test('a line is printed each minute, and one at the end', async () => {
    const { progress, written, deliver, pass } = open(setting)
    progress.begin()
    await pass(59_950)
    expect(written).toEqual([])
    await pass(50)
    deliver(4)
    await pass(60_000)
    deliver(10)
    await progress.end()
    await pass(120_000)
    const rest = '0 of 2 orders, 0.00 of 500.00 USD spent'
    expect(written).toEqual([0, 4, 10].map((count) => `orders: ${count} of 10 cards delivered, ${rest}\n`))
  })

  test('a pipe that fails never ends the work', async () => {
    const { progress, written, breakTerminal, pass } = open(setting)
    progress.begin()
    breakTerminal(true)
    await pass(60_000)
    breakTerminal(false)
    await pass(60_000)
    expect(written).toHaveLength(1)
    breakTerminal(true)
    await progress.end()
  })
})

test.each([true, false])(
  'with --json or --quiet, nothing is shown or read (terminal: %s)',
  async (isTerminal) => {
    const { progress, written, reads, pass } = open({ isTerminal, isShown: false })
    progress.begin()
    await pass(130_000)
    await progress.end()
    expect([written, reads()]).toEqual([[], 0])
  },
)
