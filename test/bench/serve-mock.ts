// Requests to serve-mock in the order in which a customer sends them, over keep-alive connections.
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { openClient, processingMs, type Server } from './processes.ts'

export const kinds = ['create', 'confirm', 'get'] as const
type Kind = (typeof kinds)[number]

const productList = [
  { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 },
  { sku: 'MUSIC-US', productType: 'fixed', quote: 9.99, quantity: 1 },
]

/** Each call of the function that it returns sends `count` requests. A confirm or get needs orders of earlier calls. */
export const prepareLoads = ({ origin, cpuMs }: Server, count: number) => {
  const created: string[] = []
  let numbers = 0
  let confirms = 0
  return async (kind: Kind) => {
    const client = openClient(origin)
    const first = kind === 'confirm' ? confirms : 0
    const send = {
      create: async () => {
        const order = { productList, wallet: 'USD', reference: `r-${++numbers}` }
        created.push((await client.call('POST', '/order/create', order)).id)
      },
      confirm: (index: number) => client.call('PUT', '/order/confirm', { orderId: created[first + index] }),
      get: (index: number) => client.call('GET', `/order/get?orderId=${created[first + index]}`),
    }[kind]
    const cpuBefore = cpuMs()
    const start = performance.now()
    await client.sendAll(count, send)
    const perSecond = (count * 1000) / (performance.now() - start)
    if (kind === 'confirm') {
      confirms += count
      // Afterwards all confirmed orders are final, so that they cost the next round nothing.
      await delay(4 * processingMs)
    }
    return { perSecond, cpuMicroseconds: ((cpuMs() - cpuBefore) * 1000) / count }
  }
}
