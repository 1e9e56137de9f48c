// When the progress of a batch is drawn or printed.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createWaiting } from '../../../../src/app/waiting.ts'
import { showProgress } from '../../../../src/commands/batch/run/progress.ts'
import type { BatchProgress } from '../../../../src/commands/batch/screens/progress.ts'
import type { Context } from '../../../../src/context.ts'
import { decimal } from '../../../../src/contract/money/decimal.ts'
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
  let readMs = 0
  let journal: Promise<void> = Promise.resolve()
  const read = async (): Promise<BatchProgress> => {
    reads += 1
    if (readMs > 0) await clock.sleep(readMs)
    await journal
    return {
      name: 'orders',
      cards: { ordered: 10, delivered, failed: 0, duplicate: 0, unknown: 0 },
      ...{ orders: 2, ordersDone: 0, ordersInFlight: 2, spent: decimal('0'), maxTotal: decimal('500') },
      ...{ wallet: 'USD', elapsedMs: 0, deliveredNow: 0 },
    }
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(Math.min(50, left))
      await nextTurn()
    }
  }
  return {
    ...{ stderr, screen, written, pass },
    begin: () =>
      showProgress(context, { isShown, read, waiting: createWaiting(context, isTerminal && isShown) }),
    reads: () => reads,
    deliver: (count: number) => {
      delivered = count
    },
    breakTerminal: (value: boolean) => {
      isBroken = value
    },
    /** Each read of the journal takes this time. */
    slowDown: (ms: number) => {
      readMs = ms
    },
    breakJournal: (error: Error | undefined) => {
      journal = error === undefined ? Promise.resolve() : Promise.reject(error)
      journal.catch(() => {})
    },
  }
}

const headOf = (screen: ReturnType<typeof screenOf>): string | undefined =>
  screen.rows()[0]?.split('  ').at(-1)

describe('on a terminal', () => {
  test('it is read and redrawn once a second, but only if it changed', async () => {
    const { begin, screen, written, reads, deliver, pass } = open()
    const end = begin()
    await pass(250)
    expect([written, reads()]).toEqual([[], 0])
    await pass(100)
    expect(headOf(screen)).toBe('0 of 10 cards delivered')
    await pass(2_000)
    expect([written.length, reads()]).toEqual([1, 3])
    deliver(4)
    await pass(1_000)
    expect(headOf(screen)).toBe('4 of 10 cards delivered')
    await end()
    expect(screen.rows()).toEqual([])
  })

  test('the journal is read for at most 5 % of the time', async () => {
    const { begin, reads, slowDown, pass } = open()
    slowDown(2_000)
    const end = begin()
    await pass(2_350)
    expect(reads()).toBe(1)
    await pass(39_900)
    expect(reads()).toBe(1)
    await pass(200)
    expect(reads()).toBe(2)
    slowDown(0)
    await pass(2_000)
    await end()
  })

  test('it comes back below other output', async () => {
    const { begin, screen, stderr, pass } = open()
    const end = begin()
    await pass(400)
    stderr.write('warning: something\n')
    expect(screen.rows()).toEqual(['warning: something'])
    await pass(1_000)
    expect(screen.rows()).toHaveLength(3)
    expect(screen.rows()[0]).toBe('warning: something')
    await end()
    expect(screen.rows()).toEqual(['warning: something'])
  })

  test('nothing is drawn after the end, and nothing at all if the end comes at once', async () => {
    const { begin, written, pass } = open()
    const end = begin()
    await pass(200)
    await end()
    await pass(2_000)
    expect(written).toEqual([])
  })

  test('a terminal or a journal that fails is tried again, and never ends the work', async () => {
    const { begin, screen, breakTerminal, breakJournal, pass } = open()
    const end = begin()
    breakTerminal(true)
    await pass(1_000)
    breakTerminal(false)
    breakJournal(new Error('no connection'))
    await pass(1_000)
    expect(headOf(screen)).toBeUndefined()
    breakJournal(undefined)
    await pass(1_000)
    expect(headOf(screen)).toBe('0 of 10 cards delivered')
    breakTerminal(true)
    await end()
  })
})

describe.each<[string, Setting]>([
  ['in a pipe', { isTerminal: false }],
  ['for a screen reader', { isAccessible: true }],
  ['on a dumb terminal', { environment: { TERM: 'dumb' } }],
  ['in CI', { environment: { CI: 'true' } }],
])('%s', (_where, setting) => {
  test('a line is printed each minute, and one at the end', async () => {
    const { begin, written, deliver, pass } = open(setting)
    const end = begin()
    await pass(59_950)
    expect(written).toEqual([])
    await pass(50)
    deliver(4)
    await pass(60_000)
    deliver(10)
    await end()
    await pass(120_000)
    const rest = '0 of 2 orders, 0.00 of 500.00 USD spent'
    expect(written).toEqual([0, 4, 10].map((count) => `orders: ${count} of 10 cards delivered, ${rest}\n`))
  })

  test('a pipe or a journal that fails never ends the work', async () => {
    const { begin, written, breakTerminal, breakJournal, pass } = open(setting)
    const end = begin()
    breakTerminal(true)
    await pass(60_000)
    breakTerminal(false)
    await pass(60_000)
    expect(written).toHaveLength(1)
    breakJournal(new Error('no connection'))
    await pass(60_000)
    await end()
    expect(written).toHaveLength(1)
  })
})

test('a line that still waits for the journal at the end is left out', async () => {
  const { begin, written, deliver, slowDown, pass } = open({ isTerminal: false })
  const end = begin()
  slowDown(500)
  await pass(60_100)
  const ended = end()
  deliver(10)
  await pass(1_500)
  await ended
  expect(written.map((line) => /\d+/.exec(line)?.[0])).toEqual(['10'])
})

test.each([true, false])(
  'with --json or --quiet, nothing is shown or read (terminal: %s)',
  async (isTerminal) => {
    const { begin, written, reads, pass } = open({ isTerminal, isShown: false })
    const end = begin()
    await pass(130_000)
    await end()
    expect([written, reads()]).toEqual([[], 0])
  },
)
