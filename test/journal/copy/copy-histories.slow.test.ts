// Random histories of two journals of one account. One is copied into the other again and again while both go on.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { type Entry, isUnproven } from '../../../src/journal/orders/entry.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { isHolding } from '../../../src/journal/orders/standings.ts'
import { isFullRun } from '../../support/cases.ts'
import { openScratch } from '../../support/scratch.ts'
import { type JournalKind, journalKinds } from '../journals.ts'
import { failAfter } from './fail-after.ts'
import { createMachine, createService, type Machine, type Service, type Step, steps } from './history.ts'

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...steps), fc.nat(1_000), fc.nat(1_000))
const history = (maxLength: number) => fc.array(step, { minLength: 3, maxLength, size: 'max' })

type Round = readonly [inSource: readonly Step[], inTarget: readonly Step[], transactions: number]

const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.tuple(history(40), fc.oneof(fc.constant([]), history(30)), fc.nat(6)),
  { minLength: 1, maxLength: 3, size: 'max' },
)

const openPair = async (kind: JournalKind) => {
  const scratch = openScratch()
  const journal = await openJournal(scratch.file, { identify: () => ({ osUser: 'ana', host: 'laptop' }) })
  const shared = await kind.openShared()
  const service = createService()
  return {
    service,
    source: createMachine(journal, service),
    target: createMachine(shared.journal, service),
    copy: (into = shared.journal) => copyJournal(scratch.file, into),
    /** The numbers in the target, by those in the source. */
    readCopies: async (): Promise<ReadonlyMap<number, number>> => {
      const rows = await shared.query("SELECT number, copied_as FROM copies WHERE kind = 'order'")
      return new Map(rows.map(({ number, copied_as }) => [Number(number), Number(copied_as)]))
    },
    close: async () => {
      await journal.close()
      await shared.close()
      scratch[Symbol.dispose]()
    },
  }
}

type Pair = Awaited<ReturnType<typeof openPair>>

const byNumber = (orders: readonly Entry[]) => new Map(orders.map((order) => [order.number, order]))

const listUnproven = async ({ journal, listOrders }: Machine) => {
  const calls = await Promise.all((await listOrders()).map(({ number }) => listCalls(journal.read, number)))
  return calls.flat().filter(isUnproven)
}

/** An order that may have spent holds its reference, and counts against budgets. */
const expectSound = async ({ journal, listOrders }: Machine, { find }: Service): Promise<void> => {
  for (const order of await listOrders()) {
    const calls = await listCalls(journal.read, order.number)
    const isProven = !calls.some(isUnproven)
    if (order.standing === 'confirmed') expect(find(order.orderId)).toMatchObject({ isPaid: true })
    else
      expect(
        calls
          .filter(({ outcome, settled }) => outcome === 'done' || settled === 'took-effect')
          .filter(({ operation }) => operation === 'confirm'),
      ).toEqual([])
    expect(['confirming', 'doubtful'].includes(order.standing)).toBe(!isProven)
    const { reservedAt } = order as Entry & { readonly reservedAt?: unknown }
    expect(reservedAt !== undefined).toBe(order.standing === 'confirmed' || !isProven)
  }
}

/** The oracle: a reference that the service says was paid, and that either journal knows, is never bought again. */
const expectBoughtOnce = async ({ service, source, target }: Pair): Promise<void> => {
  const known = [...(await source.listOrders()), ...(await target.listOrders())]
  const paid = known.filter(({ orderId }) => service.find(orderId)?.isPaid)
  const confirmed = known.filter(({ standing }) => standing === 'confirmed')
  // A confirm that was refused may be sent again for the same order.
  const forbidden = [...paid.map(({ reference }) => reference), ...confirmed.map(({ orderId }) => orderId)]
  expect((await target.tryToBuy()).filter((each) => forbidden.includes(each))).toEqual([])
}

const expectCopied = async (pair: Pair, conflicts: readonly string[]): Promise<void> => {
  const copies = await pair.readCopies()
  const theirs = await pair.source.listOrders()
  const ours = byNumber(await pair.target.listOrders())
  expect([...copies.keys()].sort()).toEqual(theirs.map(({ number }) => number).sort())
  const copied = new Set(copies.values())
  expect(copied.size).toBe(copies.size)
  for (const order of theirs) {
    const copy = ours.get(copies.get(order.number) ?? 0)
    expect(copy).toMatchObject({
      reference: order.reference,
      ...(order.orderId && { orderId: order.orderId }),
    })
    if (order.standing === 'confirmed') expect(copy?.standing).toBe('confirmed')
    const ids = new Set(
      (await listCalls(pair.target.journal.read, copy?.number ?? 0)).map(({ startedAt }) => startedAt),
    )
    for (const call of await listCalls(pair.source.journal.read, order.number))
      expect(ids).toContain(call.startedAt)
  }
  const holding = [...ours.values()].filter(isHolding)
  const others = new Set(
    holding.filter(({ number }) => !copied.has(number)).map(({ reference }) => reference),
  )
  const expected = holding.filter(({ number, reference }) => copied.has(number) && others.has(reference))
  expect(conflicts).toEqual([...new Set(expected.map(({ reference }) => reference))].sort())
}

const playRound = async (pair: Pair, [inSource, inTarget, transactions]: Round): Promise<void> => {
  const { source, target, service, copy } = pair
  await source.live(inSource)
  await target.live(inTarget)
  const before = await target.listOrders()
  if (await source.hasUnproven()) {
    await expect(copy()).rejects.toMatchObject({ kind: 'unknown' })
    expect(await target.listOrders()).toEqual(before)
    await source.settleAll()
  }
  const unproven = await listUnproven(target)
  await copy(failAfter(target.journal, transactions)).catch(() => {})
  const { conflicts } = await copy()
  await expectCopied(pair, conflicts)
  await expectSound(target, service)
  const after = byNumber(await target.listOrders())
  for (const { number, standing } of before) {
    if (standing === 'confirmed') expect(after.get(number)?.standing).toBe('confirmed')
  }
  const still = new Set((await listUnproven(target)).map(({ number }) => number))
  for (const { number, orderNumber } of unproven)
    expect(still.has(number) || after.get(orderNumber)?.standing === 'confirmed').toBe(true)
  await expectBoughtOnce(pair)
  expect(await copy()).toMatchObject({ orders: 0, calls: 0, updated: 0, conflicts })
}

/** The full run finds new histories. */
const findRuns = ({ name }: JournalKind) => {
  const runs = name === 'SQLite' ? 100 : 15
  return isFullRun ? { numRuns: runs * 20 } : { numRuns: runs, seed: 26 }
}

describe.each(journalKinds)('into $name', (kind) => {
  test('nothing that either journal knows is bought again after a copy', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const pair = await openPair(kind)
        try {
          for (const round of all) await playRound(pair, round)
        } finally {
          await pair.close()
        }
      }),
      findRuns(kind),
    )
  })
})
