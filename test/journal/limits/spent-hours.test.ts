// The sums of past hours that confirms keep: they never differ from a plain addition of all orders.
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Values } from '../../../src/journal/database/database.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { isFullRun } from '../../support/cases.ts'
import { openScratch } from '../../support/scratch.ts'
import { findJournalKind, type JournalKind, journalKinds } from '../journals.ts'
import { confirmIntent } from '../order-desk.ts'
import { createSpender } from './spender.ts'
import { createSpentDesk, hourMs } from './spent-desk.ts'

const actions = [
  ...['reserve', 'reserve', 'reserve', 'reserve', 'again', 'end', 'end', 'see', 'expire', 'decide', 'change'],
  ...['remove', 'copy', 'copy', 'clock'],
] as const

const step = fc.record({
  action: fc.constantFrom(...actions),
  draw: fc.tuple(fc.nat(1_000), fc.nat(1_000)),
  /** How much the clock goes on, or how much later than now an order is reserved. The last month is 12 hours ago. */
  hours: fc.constantFrom(0, -1, -1, -2, -2, -12, -13, 1, 2),
  except: fc.nat(20),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

// A Tuesday: its week began in the month before.
const start = Date.UTC(2026, 8, 1, 12, 30)

const queryOf = (file: string) => ({
  query: async (sql: string, values: Values = {}) => {
    using database = new DatabaseSync(file, { readBigInts: true })
    return database.prepare(sql).all(values)
  },
})

const openHistory = async (kind: JournalKind) => {
  const scratch = openScratch()
  const source = await openJournal(scratch.file)
  const target = await kind.openShared()
  const live = createSpender(target.journal, { query: target.query, name: 'target' })
  const liveInSource = createSpender(source, { ...queryOf(scratch.file), name: 'source' })
  const desk = createSpentDesk(target.journal, target)
  let now = start
  const take = async ({ action, draw, hours }: Step) => {
    const at = now + hours * hourMs
    if (action === 'clock') now = draw[0] % 3 === 0 ? at : now + Math.abs(hours) * hourMs
    else if (action === 'copy') {
      await liveInSource.reserve(draw, at)
      await liveInSource.end(draw)
      await liveInSource.settleAll(at)
      await copyJournal(scratch.file, target.journal)
    } else await live[action](draw, at)
  }
  return {
    run: async (steps: readonly Step[]) => {
      for (const each of steps) {
        await take(each)
        const { added, kept, seen } = await desk.readAll(now, each.except === 0 ? undefined : each.except)
        expect({ kept, seen }, each.action).toEqual({ kept: added, seen: added })
      }
    },
    close: async () => {
      await source.close()
      await target.close()
      scratch[Symbol.dispose]()
    },
  }
}

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const opened = await kind.openShared()
    onTestFinished(opened.close)
    const spender = createSpender(opened.journal, { query: opened.query, name: 'o' })
    return { ...opened, ...spender, ...createSpentDesk(opened.journal, opened) }
  }
  const past = (hours: number): number => start - hours * hourMs

  test('in a random history, a budget counts what a plain addition counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
        const history = await openHistory(kind)
        try {
          await history.run(steps)
        } finally {
          await history.close()
        }
      }),
      { numRuns: isFullRun ? 200 : kind.name === 'SQLite' ? 12 : 5 },
    )
  })

  test('the sums of past hours are kept, that of the current hour is not', async () => {
    const { reserve, readAll, listKept } = await open()
    for (const hours of [0, 1, 1, 3]) await reserve([0, 5], past(hours))
    await readAll(start)
    const hour = Math.floor(start / hourMs)
    expect(await listKept()).toEqual([
      [hour - 3, '25'],
      [hour - 1, '50'],
    ])
  })

  test('a sum that is kept is used', async () => {
    const { reserve, readAll, query } = await open()
    await reserve([0, 5], past(1))
    await readAll(start)
    await query("UPDATE spent_hours SET total = '75' RETURNING hour")
    expect((await readAll(start)).kept).toEqual(['75', '75', '75', '75', '75', '75'])
  })
})

describe('on PostgreSQL, while another transaction', () => {
  const open = async () => {
    const kind = findJournalKind('PostgreSQL')
    const opened = await kind.openShared()
    const other = await kind.openAt(opened.address)
    onTestFinished(async () => {
      await other.close()
      await opened.close()
    })
    const desk = createSpentDesk(opened.journal, opened)
    const begun = await opened.journal.beginConfirm(confirmIntent('o1'))
    if (begun.kind !== 'started') throw new Error(begun.kind)
    await opened.query('UPDATE orders SET reserved_at = $at', { at: start - hourMs })
    const release = () => other.endConfirm(begun, { outcome: 'not-sent' }, 3_000)
    const isWaiting = async () =>
      (await opened.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0
    return { ...opened, ...desk, other, release, isWaiting }
  }
  const [all, none] = [Array(6).fill('25'), Array(6).fill('0')]

  test('adds up an hour, a release waits, and then forgets the sum', async () => {
    const { keep, release, isWaiting, readAll, listKept } = await open()
    let isReleased = false
    let released: Promise<void> | undefined
    await keep(start, undefined, async () => {
      released = release().then(() => {
        isReleased = true
      })
      while (!isReleased && !(await isWaiting()));
    })
    await released
    expect(await listKept()).toEqual([])
    expect(await readAll(start)).toEqual({ added: none, kept: none, seen: none })
  })

  test('releases an order, its hour is added up and not kept', async () => {
    const { keep, other, format, readAll, listKept } = await open()
    await other.write(async ({ statements }) => {
      await statements.run('UPDATE orders SET reserved_at = NULL')
      expect((await keep(start)).map(({ spent }) => format(spent))).toEqual(all)
      expect(await listKept()).toEqual([])
    })
    expect(await readAll(start)).toEqual({ added: none, kept: none, seen: none })
  })
})
