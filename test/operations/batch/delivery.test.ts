// Random orders whose cards have the codes of others: whatever is read, again and in any order, a code has one row.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Order } from '../../../src/contract/schemas.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { recordDelivery } from '../../../src/operations/batch/delivery.ts'
import { recordCardsOf } from '../../../src/operations/seen-cards.ts'
import { createBatchDesk, createRow, owner } from '../../journal/batches/batch-desk.ts'
import { isFullRun } from '../../support/cases.ts'

const slotSize = 3
const slots = [1, 2, 3, 4]
const skus = ['GAME-US', 'MUSIC-US']

type Codes = readonly string[]
/** A response to `get`: the codes of each SKU. */
type Read = {
  readonly order: number
  readonly codes: readonly [Codes, Codes]
  /** Whether the second SKU is listed first. */
  readonly isReversed: boolean
  readonly isDelivered: boolean
}

const createOrder = ({ order, isReversed }: Read, [games, songs]: Read['codes']) => {
  const cards = (codes: Codes) => ({ cards: codes.map((code) => ({ redeemCardCode: code })) })
  const entries = [['GAME-US', cards(games)] as const, ['MUSIC-US', cards(songs)] as const]
  const redeem = new Map(isReversed ? entries.toReversed() : entries)
  return { uid: `ord_${order}`, state: 'successful', redeem } as unknown as Order
}

const openBatch = async () => {
  const journal = await openJournal(':memory:')
  const { save, batches } = createBatchDesk(journal)
  const rows = slots.flatMap(() => skus.map((sku) => createRow(sku, slotSize)))
  const { batch } = await save({
    rows,
    lastSlot: slots.length,
    slotOf: (card) => Math.floor(card / (slotSize * skus.length)) + 1,
  })
  return { deps: { journal, owner, batches, batch }, [Symbol.asyncDispose]: journal.close }
}

// Few codes, so that most of them repeat.
const codes = fc.array(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G'), { maxLength: 5 })
/** The first orders are those of the slots. The others were placed alone. */
const read: fc.Arbitrary<Read> = fc.record({
  order: fc.nat({ max: slots.length + 1 }),
  codes: fc.tuple(codes, codes),
  isReversed: fc.boolean(),
  isDelivered: fc.boolean(),
})

const rotate = (list: Codes, by: number): Codes => [...list.slice(by), ...list.slice(0, by)]

test('a code has one row, and a row keeps its code', async () => {
  const property = fc.asyncProperty(fc.array(read, { minLength: 2, maxLength: 12 }), async (reads) => {
    await using opened = await openBatch()
    const { deps } = opened
    const { batches, batch } = deps
    const firstOrders = new Map<string, number>()
    const kept = new Map<number, string>()
    const listed = new Map<number, Read['codes']>()
    for (const each of reads) {
      const { order, codes: given, isDelivered } = each
      // An order usually lists the same cards again, but in another order.
      const [games, songs] = listed.get(order) ?? given
      listed.set(order, [games, songs])
      const shown = createOrder(each, [rotate(games, reads.length % 3), songs.toReversed()])
      const slot = slots[order]
      if (slot === undefined || !isDelivered) await recordCardsOf(deps, shown)
      else await recordDelivery(deps, slot, shown)
      for (const code of [...games, ...songs]) firstOrders.set(code, firstOrders.get(code) ?? order)

      const cards = await batches.listCards(batch.number)
      const delivered = cards.filter(({ state }) => state === 'delivered')
      expect(delivered.every(({ hash }) => hash !== undefined)).toBe(true)
      expect(new Set(delivered.map(({ hash }) => hash)).size).toBe(delivered.length)
      for (const { card, hash = '' } of delivered) expect(kept.get(card) ?? hash).toBe(hash)
      for (const { card, hash = '' } of delivered) kept.set(card, hash)
      if (slot === undefined || !isDelivered) continue
      // Nothing that somebody may have is withheld: a SKU with no more codes than rows gives away all that are its own.
      const own = cards.filter((each) => each.slot === slot)
      const isOwn = (code: string): boolean => firstOrders.get(code) === order
      const distinct = new Set([...games, ...songs].filter(isOwn))
      const count = own.filter(({ state }) => state === 'delivered').length
      if (games.length <= slotSize && songs.length <= slotSize) expect(count).toBe(distinct.size)
      const repeated = own.filter(({ state }) => state === 'duplicate').length
      if (games.length <= slotSize && songs.length <= slotSize)
        expect(repeated).toBe(games.length + songs.length - distinct.size)
      expect(own.every(({ state, error }) => (state === 'delivered') === (error === undefined))).toBe(true)
    }
  })
  await fc.assert(property, {
    seed: Number(process.env.FUZZ_SEED) || 7,
    numRuns: isFullRun ? 20_000 : 60,
  })
})
