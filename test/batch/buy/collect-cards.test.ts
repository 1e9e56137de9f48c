// Random orders whose cards repeat the codes of others: whatever is read, again and in any order, a code belongs to one
// row.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordDelivery } from '../../../src/batch/buy/collect-cards.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { openJournal } from '../../../src/journal/file-journal.ts'
import { recordCardsOf } from '../../../src/operations/identify-cards.ts'
import { createBatchDesk, createRow, owner } from '../../journal/batches/batch-desk.ts'
import { isAllRun, isFullRun } from '../../support/cases.ts'

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
  const products = new Map(skus.map((sku) => [sku, { request: { quantity: slotSize } }]))
  return { uid: `ord_${order}`, state: 'partial', products, redeem } as unknown as Order
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
  return { batches, session: { journal, owner, batch }, [Symbol.asyncDispose]: journal.close }
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
    const { batches, session } = opened
    const firstOrders = new Map<string, number>()
    const kept = new Map<number, string>()
    const listed = new Map<number, Read['codes']>()
    for (const each of reads) {
      const { order, codes: given, isDelivered } = each
      // An order usually lists the same cards again, but in a different order.
      const [games, songs] = listed.get(order) ?? given
      listed.set(order, [games, songs])
      const shown = createOrder(each, [rotate(games, reads.length % 3), songs.toReversed()])
      const slot = slots[order]
      if (slot === undefined || !isDelivered) await recordCardsOf(session, shown)
      else await recordDelivery(session, slot, { order: shown })
      for (const code of [...games, ...songs]) firstOrders.set(code, firstOrders.get(code) ?? order)

      const cards = await batches.listBatchCards(session.batch.number)
      const delivered = cards.filter(({ state }) => state === 'delivered')
      expect(delivered.every(({ hash }) => hash !== undefined)).toBe(true)
      expect(new Set(delivered.map(({ hash }) => hash)).size).toBe(delivered.length)
      for (const { card, hash = '' } of delivered) expect(kept.get(card) ?? hash).toBe(hash)
      for (const { card, hash = '' } of delivered) kept.set(card, hash)
      if (slot === undefined || !isDelivered) continue
      // No code is withheld without need: a SKU with no more codes than rows delivers all codes that its order showed
      // first.
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
    numRuns: isFullRun ? 20_000 : isAllRun ? 60 : 30,
  })
})

/** Delivers orders of the first slot. Returns the states of its first three cards. */
const openSlot = async () => {
  const opened = await openBatch()
  const { batches, session } = opened
  const deliver = async (order: number, ...cards: readonly string[]): Promise<string[]> => {
    const read = { order, codes: [cards, []], isReversed: false, isDelivered: true } as const
    await recordDelivery(session, 1, { order: createOrder(read, [cards, []]) })
    const stored = await batches.listBatchCards(session.batch.number)
    return stored.slice(0, slotSize).map(({ state }) => state)
  }
  return { ...opened, deliver }
}

test('if an order lists each card in the place of the one before, none of its cards may be bought again', async () => {
  await using opened = await openSlot()
  const { deliver } = opened
  expect(await deliver(1, 'A')).toEqual(['delivered', 'failed', 'failed'])
  expect(await deliver(1, 'B')).toEqual(['delivered', 'duplicate', 'failed'])
  expect(await deliver(1, 'B')).toEqual(['delivered', 'duplicate', 'failed'])
  expect(await deliver(1, 'C')).toEqual(['delivered', 'duplicate', 'duplicate'])
})

test('a card that repeats a code which a row has may not be bought again', async () => {
  await using opened = await openSlot()
  const { deliver } = opened
  expect(await deliver(1, 'A')).toEqual(['delivered', 'failed', 'failed'])
  expect(await deliver(1, 'A', 'A')).toEqual(['delivered', 'duplicate', 'failed'])
  // The reason of a duplicate stays, whatever the order lists later.
  await deliver(1, 'B', 'B')
  const [, repeated] = await opened.batches.listBatchCards(opened.session.batch.number)
  expect(repeated?.error).toBe('the order lists the same code twice')
})

test('of two paid orders of a slot, each delivers the cards that the other did not', async () => {
  await using opened = await openSlot()
  const { deliver } = opened
  expect(await deliver(1, 'A')).toEqual(['delivered', 'failed', 'failed'])
  expect(await deliver(2, 'B')).toEqual(['delivered', 'delivered', 'failed'])
  // It may be card B.
  expect(await deliver(2, 'C')).toEqual(['delivered', 'delivered', 'duplicate'])
  expect(await deliver(2, 'A', 'C')).toEqual(['delivered', 'delivered', 'duplicate'])
  expect(await deliver(1, 'D', 'A')).toEqual(['delivered', 'delivered', 'delivered'])
})

/** The states of the cards of an order for one product. */
const deliver = async (count: number, data: unknown): Promise<string[]> => {
  const journal = await openJournal(':memory:')
  const { save, batches } = createBatchDesk(journal)
  const { batch } = await save({ rows: [createRow('GAME-US', count)], lastSlot: 1, slotOf: () => 1 })
  const redeem = new Map([['GAME-US', data]])
  const products = new Map([['GAME-US', { request: { quantity: count } }]])
  const order = { uid: 'ord_1', state: 'partial', products, redeem }
  await recordDelivery({ journal, owner, batch }, 1, { order: order as unknown as Order })
  const cards = await batches.listBatchCards(batch.number)
  await journal.close()
  return cards.map(({ state }) => state)
}

/** A text is a code. */
type Given = string | Readonly<Record<string, string>>
const deliverCards = (...given: readonly Given[]): Promise<string[]> =>
  deliver(given.length, {
    cards: given.map((each) => (typeof each === 'string' ? { redeemCardCode: each } : each)),
  })

const card = (redeemCardCode: string, redeemPin = '', redeemSerialNumber = '', redeemLink = ''): Given => ({
  ...{ redeemCardCode, redeemPin, redeemSerialNumber, redeemLink },
})

describe('one code is given once if the service', () => {
  const link = 'https://redeem.example/c/7'
  test.each<[string, Given, Given]>([
    ['adds white space', 'CODE-7', ' CODE\u00a0-7 '],
    ['adds invisible characters', 'CODE-7', 'CO\u200bDE\u2060-7\ufeff'],
    ['composes a letter', 'C\u00d6DE', 'CO\u0308DE'],
    ['composes a letter around an invisible character', 'C\u00d6DE', 'CO\u200d\u0308DE'],
    ['has wide letters', 'CODE7', '\uff23\uff2f\uff24\uff257'],
    ['has a different dash or none', 'AB\u20111', 'AB1'],
    ['has a different letter case', 'CODE-7', 'code-7'],
    ['lists it as PIN', 'MOVED-CODE', card('', 'MOVED-CODE')],
    ['lists a short one as PIN', 'AB1', card('', 'AB1')],
    ['leaves out the serial number', card('CODE-7', '', 'S-1'), 'CODE-7'],
    ['has a different serial number', card('CODE-7', '', 'S-1'), card('CODE-7', '', 'S-2')],
    ['has a different PIN', card('CODE-7', '1111'), card('CODE-7', '2222')],
    ['has a different link', card('CODE-7', '', '', `${link}1`), card('CODE-7', '', '', `${link}2`)],
    ['has a different link for a PIN', card('', '12345678', '', `${link}1`), card('', '12345678', '', link)],
    ['has a different host case', card('', '', '', link), card('', '', '', 'HTTPS://Redeem.Example/c/7')],
  ])('%s', async (_, one, other) => {
    expect(await deliverCards(one, other)).toEqual(['delivered', 'duplicate'])
  })
})

describe('no card is a duplicate because of', () => {
  const delivered = ['delivered', 'delivered']
  const links = [1, 2].map((number) => `https://redeem.example/c/${number}`)
  test.each<[string, readonly Given[]]>([
    ['a PIN that links of their own share', links.map((link) => card('', '1234', '', link))],
    ['a serial number that links of their own share', links.map((link) => card('', '', 'LOT-2026', link))],
    ['a link that PINs share', ['1234', '5678'].map((pin) => card('', pin, '', links[0]))],
    ['a link that long PINs share', ['PIN-00001', 'PIN-00002'].map((pin) => card('', pin, '', links[0]))],
    ['a short PIN with a different serial number', ['S1', 'S2'].map((serial) => card('', '1234', serial))],
    ['a code without letters and digits', ['1234', '5678'].map((pin) => card('-', pin))],
    ['a link that has only a host', [1, 2].map(() => card('', '', '', 'https://shop.example/'))],
  ])('%s', async (_, cards) => {
    expect(await deliverCards(...cards)).toEqual(delivered)
  })

  test('the link of the product', async () => {
    expect(await deliver(2, { redeemPin: ['1234', '5678'], redeemLink: links[0] })).toEqual(delivered)
  })
})
