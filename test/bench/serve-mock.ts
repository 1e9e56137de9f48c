// Requests to serve-mock in the order in which a customer sends them.
import { setTimeout as delay } from 'node:timers/promises'
import { formatRequest, runLoad } from './load.ts'
import { processingMs, type Server } from './processes.ts'

export const kinds = ['create', 'confirm', 'get'] as const
type Kind = (typeof kinds)[number]

const headers = { authorization: 'Bearer sandbox' }
const productList = [
  { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 },
  { sku: 'MUSIC-US', productType: 'fixed', quote: 9.99, quantity: 1 },
]
const createRequest = (number: number): string => {
  const order = { productList, wallet: 'USD', reference: `r-${number}` }
  return formatRequest('POST /order/create', headers, JSON.stringify(order))
}
const confirmRequest = (id: string): string =>
  formatRequest('PUT /order/confirm', headers, JSON.stringify({ orderId: id }))
const getRequest = (id: string): string => formatRequest(`GET /order/get?orderId=${id}`, headers)
const readId = (body: string): string => /"id":"([^"]+)"/.exec(body)?.[1] ?? ''

/** Afterwards all confirmed orders are final, so that they cost the next round nothing. */
const waitForOutcomes = (): Promise<void> => delay(4 * processingMs)

/** Each call of the function that it returns sends `count` requests. A confirm or get needs orders of earlier calls. */
export const prepareLoads = (server: Server, count: number) => {
  const created: string[] = []
  let numbers = 0
  let confirms = 0
  return async (kind: Kind) => {
    if (kind === 'get') return runLoad(server, created.slice(0, count).map(getRequest))
    if (kind === 'confirm') {
      const ids = created.slice(confirms, confirms + count)
      confirms += count
      return runLoad(server, ids.map(confirmRequest), waitForOutcomes)
    }
    const load = await runLoad(
      server,
      Array.from({ length: count }, () => createRequest(++numbers)),
    )
    created.push(...load.bodies.map(readId))
    return load
  }
}
