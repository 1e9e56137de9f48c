// The products and the charged amount of orders in the journal: written at the create, updated by responses.

import { describe, expect, onTestFinished, test } from 'vitest'
import type { OrderUpdate } from '../../src/journal/orders/observations.ts'
import { getOrder } from '../../src/journal/orders/queries.ts'
import { journalKinds } from './journals.ts'
import { createOrderDesk, done, update } from './order-desk.ts'

const request = JSON.stringify({
  productList: [
    { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 },
    { sku: 'FOOD', productType: 'range', quote: 12.5, quantity: 1 },
  ],
})
const ordered = '[["FOOD","range","12.5",1,null,null],["GAME-US","fixed","25",2,null,null]]'
const priced = '[["FOOD","range","12.5",1,null,"11.9"],["GAME-US","fixed","25",2,null,"50"]]'
const delivered = '[["FOOD","range","12.5",1,0,"11.9"],["GAME-US","fixed","25",2,2,"50"]]'
const total = '61.9'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal, close } = await kind.open()
    onTestFinished(close)
    const desk = createOrderDesk(journal)
    const details = async () => {
      const { products, cards, delivered, charged, total, state } = (await getOrder(journal.read, 1)) ?? {}
      return { products, cards, delivered, charged, total, state }
    }
    return {
      ...desk,
      details,
      record: ({ state, ...fields }: Partial<OrderUpdate> & Pick<OrderUpdate, 'state'>) =>
        desk.recordOrder(1, update(state, fields)),
      placed: async () => {
        const begun = await desk.begin({ request })
        await desk.endCreate(begun, { ...done(), total, products: priced } as ReturnType<typeof done>, 1_100)
      },
    }
  }

  test('a create has the products of its request, and then their prices', async () => {
    const { begin, endCreate, details } = await open()
    const begun = await begin({ request })
    expect(await details()).toMatchObject({ products: ordered, cards: 3, delivered: undefined })
    await endCreate(begun, { ...done(), total, products: priced } as ReturnType<typeof done>, 1_100)
    expect(await details()).toMatchObject({ products: priced, cards: 3, total, charged: undefined })
  })

  test('a create whose response had only an id keeps the products of its request', async () => {
    const { begin, endCreate, details } = await open()
    const end = { outcome: 'unknown', orderId: 'o1', createdAt: 1_050, expiresAt: 9_000 } as const
    await endCreate(await begin({ request }), end, 1_100)
    expect(await details()).toMatchObject({ products: ordered, cards: 3 })
  })

  test('quantities that are no counts are kept, and not counted', async () => {
    const { placed, record, details } = await open()
    await placed()
    const products = '[["FOOD","range","12.5",-7,null,null],["GAME-US","fixed","25",2,null,null]]'
    await record({ state: 'created', products })
    expect(await details()).toMatchObject({ products: expect.stringContaining('-7'), cards: undefined })
  })

  test('a response adds what was delivered', async () => {
    const { placed, confirmed, record, details } = await open()
    await placed()
    await confirmed('o1', { outcome: 'done' })
    await record({ state: 'partial', total, products: delivered })
    expect(await details()).toEqual({
      ...{ products: delivered, cards: 3, delivered: 2, charged: undefined, total, state: 'partial' },
    })
  })

  test('a response that says the same again is not written', async () => {
    const { placed, confirmed, record } = await open()
    const isWritten = async (fields: Parameters<typeof record>[0]) => (await record(fields)) !== undefined
    await placed()
    // The first response shows the reference.
    expect(await isWritten({ state: 'created', total, products: priced })).toBe(true)
    expect(await isWritten({ state: 'created', total, products: priced })).toBe(false)
    await confirmed('o1', { outcome: 'done' })
    expect(await isWritten({ state: 'confirmed', total, products: priced })).toBe(false)
    expect(await isWritten({ state: 'partial', total, products: delivered })).toBe(true)
    expect(await isWritten({ state: 'partial', total, products: delivered })).toBe(false)
    expect(await isWritten({ state: 'partial', total, products: priced })).toBe(false)
  })

  test('the last invoice after the confirmation counts, and the total stays', async () => {
    const { placed, confirmed, record, details } = await open()
    await placed()
    await record({ state: 'created', total: '99', products: priced })
    expect(await details()).toMatchObject({ total, charged: undefined })
    await confirmed('o1', { outcome: 'done' })
    await record({ state: 'processing', total: '60', products: priced })
    expect(await details()).toMatchObject({ total, charged: '60' })
    await record({ state: 'partial', total: '50', products: delivered })
    expect(await details()).toMatchObject({ total, charged: '50' })
    await record({ state: 'partial', total, products: delivered })
    expect(await details()).toMatchObject({ total, charged: total })
  })

  test('an older response changes nothing', async () => {
    const { placed, confirmed, record, details } = await open()
    await placed()
    await confirmed('o1', { outcome: 'done' })
    await record({ state: 'partial', total: '50', products: delivered })
    const known = await details()
    await record({ state: 'processing', total, products: '[["GAME-US","fixed","25",1,null,null]]' })
    await record({ state: 'created', total, products: ordered })
    expect(await details()).toEqual(known)
  })

  test('an order that was made elsewhere gets its products from the first response', async () => {
    const { confirmed, record, details } = await open()
    await confirmed('o1', { outcome: 'done' })
    expect(await details()).toMatchObject({ products: undefined, cards: undefined })
    await record({ state: 'confirmed', total: '25', products: priced })
    expect(await details()).toMatchObject({ products: priced, cards: 3, state: 'confirmed', total: '25' })
  })

  test('a damaged request has no products, and stops no create', async () => {
    const { begin, details } = await open()
    await begin({ request: '{"productList":[{"sku":1}]}' })
    expect(await details()).toMatchObject({ products: undefined, cards: undefined })
  })
})
