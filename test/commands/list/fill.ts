// Fills the journal of a customer with orders of several people, for the tests of list.
import path from 'node:path'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { createOrderDesk, done, owner } from '../../journal/order-desk.ts'
import type { World } from '../../support/world.ts'

const hour = 3_600_000

const writeRequest = (...products: readonly (readonly [sku: string, quote: number, quantity: number])[]) =>
  JSON.stringify({
    productList: products.map(([sku, quote, quantity]) => ({
      ...{ sku, productType: 'fixed', quote, quantity },
    })),
  })

/** Opens the journal as this user. */
export const openDesk = async ({ home }: Pick<World, 'home'>, osUser: string) =>
  createOrderDesk(
    await openJournal(path.join(home, 'state', 'journal.db'), {
      identify: () => ({ osUser, host: 'desk' }),
    }),
  )

/** Three orders, and after each of them an attempt that was refused. */
export const fillJournal = async (shop: Pick<World, 'home' | 'clock'>): Promise<void> => {
  const now = shop.clock.now()
  const orders = [
    { user: 'ana', hours: 70, state: 'successful', request: writeRequest(['GAME-US', 25, 2]) },
    {
      ...{ user: 'benedict', hours: 5.5, state: 'processing' },
      request: writeRequest(['BOOK-DE', 7.5, 1], ['GAME-US', 25, 2], ['MUSIC-FR', 10, 12]),
    },
    { user: 'ana', hours: 0.5, state: 'confirmed', request: writeRequest(['BOOK-DE', 7.5, 1]) },
  ]
  for (const [index, { user, hours, state, request }] of orders.entries()) {
    const desk = await openDesk(shop, user)
    const at = now - hours * hour
    const orderId = `ord_0000000000000${index}`
    const reference = index === 1 ? 'PO-1042' : `orderctl-2026-11-20-00000000000${index}`
    const begun = await desk.begin({ reference, request, at, until: at + 1 })
    await desk.endCreate(begun, done(orderId), at)
    await desk.note(orderId, state, at)
    const attempt = await desk.begin({ reference: `attempt-${index}`, request, at: at + 1, until: at + 2 })
    await desk.endCreate(attempt, { outcome: index === 0 ? 'not-sent' : 'refused' }, at + 2)
    await desk.close()
  }
}

export const shopEnvironment = { ORDERCTL_BASE_URL: owner.origin, ORDERCTL_API_KEY: 'key' }
