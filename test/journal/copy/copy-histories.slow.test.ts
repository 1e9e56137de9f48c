// Random histories of a journal, copied again and again while they go on.
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Row } from '../../../src/journal/database/database.ts'
import { type Call, isUnproven } from '../../../src/journal/entry.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { fromRow } from '../../../src/journal/row.ts'
import { isFullRun } from '../../support/cases.ts'
import { openScratch } from '../../support/scratch.ts'
import { type JournalKind, journalKinds } from '../journals.ts'
import { type OrderFacts, readBatches, readOrders, readReveals } from './facts.ts'
import { actions, createHistory, type Step } from './history.ts'

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...actions), fc.nat(1_000), fc.nat(1_000))
const steps = (maxLength: number) => fc.array(step, { minLength: 5, maxLength, size: 'max' })

const openPair = async (kind: JournalKind) => {
  const scratch = openScratch()
  const source = await openJournal(scratch.file, { identify: () => ({ osUser: 'ana', host: 'laptop' }) })
  const target = await kind.openShared()
  let now = 1_000
  const time = () => (now += 7)
  const querySource = async (sql: string) => {
    using database = new DatabaseSync(scratch.file, { readBigInts: true })
    return database.prepare(sql).all() as Row[]
  }
  const readNames = async () => {
    const rows = await target.query(
      "SELECT copies.number, copied_as FROM copies WHERE kind = 'order' ORDER BY copies.number",
    )
    return new Map(rows.map(({ number, copied_as }) => [Number(copied_as), Number(number)]))
  }
  return {
    live: createHistory(source, 'source', time),
    liveInTarget: createHistory(target.journal, 'target', time),
    target,
    querySource,
    copy: (journal: Journal = target.journal) => copyJournal(scratch.file, journal),
    readSource: () => readOrders(querySource, (number) => number),
    readTarget: async () => {
      const names = await readNames()
      return readOrders(target.query, (number) => names.get(number))
    },
    close: async () => {
      await source.close()
      await target.close()
      scratch[Symbol.dispose]()
    },
  }
}

type Pair = Awaited<ReturnType<typeof openPair>>

const withPair = async (kind: JournalKind, work: (pair: Pair) => Promise<void>): Promise<void> => {
  const pair = await openPair(kind)
  try {
    await work(pair)
  } finally {
    await pair.close()
  }
}

const nothing = { orders: 0, calls: 0, reveals: 0, batches: 0, updated: 0 }

const expectEqualJournals = async (pair: Pair) => {
  expect(await pair.readTarget()).toEqual(await pair.readSource())
  expect(await readReveals(pair.target.query)).toEqual(await readReveals(pair.querySource))
  const copied = await readBatches(pair.target.query)
  for (const [id, batch] of await readBatches(pair.querySource)) expect(copied.get(id)).toEqual(batch)
}

/** Its transactions fail after some of them. */
const failingAfter = (journal: Journal, count: number): Journal => ({
  ...journal,
  openTables: (create) =>
    journal.openTables(({ runTransaction, ...parts }) => {
      let left = count
      return create({
        ...parts,
        runTransaction: (work) => {
          left -= 1
          return left < 0 ? Promise.reject(new Error('interrupted')) : runTransaction(work)
        },
      })
    }),
})

const isSettled = ({ settled }: Row): boolean => settled !== null
const keyOf = ({ operation, started_at }: Row): string => `${operation} ${started_at}`

/** What `before` knows must be known in `after`. */
const expectKept = (before: OrderFacts, after: OrderFacts): void => {
  for (const column of [
    'reference',
    'order_id',
    'total',
    'request',
    'batch_id',
    'slot',
    'placed_at',
    'profile',
  ])
    if (before.order[column] !== null) expect(after.order[column]).toEqual(before.order[column])
  if (before.order.confirmed_at !== null) expect(after.order.confirmed_at).not.toBeNull()
  if (['successful', 'partial'].includes(String(before.order.standing)))
    expect(['successful', 'partial']).toContain(after.order.standing)
  for (const call of before.calls) {
    const found = after.calls.find((each) => keyOf(each) === keyOf(call))
    if (found === undefined) {
      // Only an open confirm may wait, for another open confirm.
      expect(isUnproven(fromRow<Call>(call))).toBe(true)
      expect(after.order.standing).toBe('unknown')
      continue
    }
    if (isSettled(call)) expect(['took-effect', call.settled]).toContain(found.settled)
    if (call.outcome !== 'sending') expect(found.outcome).not.toBe('sending')
  }
}

/** An order that may have spent holds its reference, counts for the budget, and is not forgotten. */
const expectSafe = ({ order, calls }: OrderFacts): void => {
  const unproven = calls.filter((call) => isUnproven(fromRow<Call>(call)))
  const isOpen = unproven.some(({ outcome }) => outcome !== 'refused')
  if (order.confirmed_at === null && isOpen) expect(order.standing).toBe('confirming')
  if (order.confirmed_at === null && unproven.length > 0)
    expect(['confirming', 'doubtful']).toContain(order.standing)
  if (order.confirmed_at !== null) expect(unproven).toEqual([])
  if (order.confirmed_at !== null || isOpen) expect(order.reserved_at).not.toBeNull()
}

/** The full run finds new histories. */
const runs = isFullRun ? { numRuns: 200 } : { numRuns: 12, seed: 1 }

describe.each(journalKinds)('into $name', (kind) => {
  test('each copy makes the target equal to the source, and the next one finds nothing to do', async () => {
    await fc.assert(
      fc.asyncProperty(steps(60), steps(30), (first, second) =>
        withPair(kind, async (pair) => {
          await pair.live(first)
          await pair.copy()
          await expectEqualJournals(pair)
          await pair.live(second)
          const { conflicts } = await pair.copy()
          expect(conflicts).toEqual([])
          await expectEqualJournals(pair)
          expect(await pair.copy()).toEqual({
            ...{ ...nothing, conflicts: [], renamed: [] },
            limits: { copied: [], kept: [], refused: [] },
          })
        }),
      ),
      runs,
    )
  })

  test('an order that expired and was decided to be unspent is created again', async () => {
    await withPair(kind, async (pair) => {
      await pair.live([
        ['create', 0, 0],
        ['answer', 0, 0],
        ['expire', 0, 0],
      ])
      await pair.copy()
      await pair.live([
        ['confirm', 0, 0],
        ['decide', 0, 1],
      ])
      await pair.copy()
      expect((await pair.readSource()).values().next().value?.order.standing).toBe('created')
      await expectEqualJournals(pair)
    })
  })

  test('an interrupted copy continues', async () => {
    await fc.assert(
      fc.asyncProperty(steps(60), fc.nat(6), (all, count) =>
        withPair(kind, async (pair) => {
          await pair.live(all)
          await pair.copy(failingAfter(pair.target.journal, count)).catch(() => {})
          await pair.copy()
          await expectEqualJournals(pair)
        }),
      ),
      runs,
    )
  })

  test('if both journals go on, neither loses what it knows', async () => {
    await fc.assert(
      fc.asyncProperty(steps(40), steps(40), steps(30), steps(20), (before, first, there, second) =>
        withPair(kind, async (pair) => {
          await pair.liveInTarget(before)
          await pair.live(first)
          await pair.copy()
          await pair.liveInTarget(there)
          await pair.live(second)
          const known = await pair.readTarget()
          await pair.copy()
          const [merged, source] = [await pair.readTarget(), await pair.readSource()]
          expect(merged.size).toBe(source.size)
          for (const [number, facts] of merged) {
            const [theirs, ours] = [source.get(number), known.get(number)]
            if (theirs !== undefined) expectKept(theirs, facts)
            if (ours !== undefined) expectKept(ours, facts)
            expectSafe(facts)
          }
          expect(await pair.copy()).toMatchObject(nothing)
        }),
      ),
      runs,
    )
  })
})
