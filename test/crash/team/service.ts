// The service of a team. Its log and its state show what really happened to the orders.
import { setTimeout as delay } from 'node:timers/promises'
import { inRealTime, openWorld } from '../../support/world.ts'

type LoggedRequest = {
  readonly method: string
  readonly path: string
  readonly status: number
  /** The order of a confirm. */
  readonly orderId?: string
}

/** An order as the service knows it. */
export type TeamOrder = {
  readonly number: number
  readonly id: string
  readonly reference: string
  readonly state: string
  /** In cents. */
  readonly total: number
}

export const startTeamService = async (finished: (end: () => void | Promise<void>) => void) => {
  const shop = await openWorld({ ...inRealTime, processingMs: 200 }, finished)
  const { calls, home, environment } = shop
  const log: LoggedRequest[] = []
  const waiting = new Set<() => void>()
  let pending = 0
  shop.through(async (request, service) => {
    const { method, path, body = '' } = request
    pending += 1
    // So that the requests of several processes overlap.
    await delay(2 + Math.random() * 28)
    const response = await service(request)
    pending -= 1
    const { orderId } = JSON.parse(Buffer.from(body).toString() || '{}')
    log.push({ method, path, status: response.status, orderId })
    for (const check of waiting) check()
    return response
  })

  const wait = (condition: () => boolean, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      const check = (): void => {
        if (condition()) end()
      }
      const timer = setTimeout(end, ms)
      waiting.add(check)
      check()
    })

  const listOrders = async (): Promise<TeamOrder[]> => {
    // A killed process may have sent a request just before.
    await wait(() => pending === 0, 10_000)
    const orders: TeamOrder[] = []
    for (let before = ''; ; before = `&before=${orders.at(-1)?.number}`) {
      const page = (await calls.mock('GET', `/state?limit=1000${before}`)).data.orders
      if (page.length === 0) return orders.toReversed()
      for (const order of page) orders.push({ ...order, total: Math.round(Number(order.total) * 100) })
    }
  }

  return {
    home,
    environment,
    /** All requests so far. */
    log,
    /** The creates and confirms so far. */
    countSent: (): number => log.filter(({ method }) => method !== 'GET').length,
    /** Resolves when the condition holds, or after the time. It is checked at each request. */
    wait,
    listOrders,
    advance: shop.advance,
    getOrder: calls.get,
  }
}
