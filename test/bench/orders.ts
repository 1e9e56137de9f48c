// What is asked: the requests as they go over the wire, and the four kinds of work that the bench compares.
import { randomUUID } from 'node:crypto'
import type { Work } from './load.ts'

export const kinds = ['create', 'confirm', 'get', 'mixed'] as const
export type Kind = (typeof kinds)[number]

export const key = 'sandbox'

const getsPerOrder = 4

// One SKU or two, in the wallet's currency and in another.
const lists = [
  [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }],
  [{ sku: 'GAME-DE', productType: 'fixed', quote: 20, quantity: 2 }],
  [
    { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 },
    { sku: 'MUSIC-US', productType: 'fixed', quote: 9.99, quantity: 1 },
  ],
].map((list) => JSON.stringify(list))

/** The work on one server, which hands orders on: what was created is there to be confirmed, and so on. */
export const workOn = (port: number): Readonly<Record<Kind, Work>> => {
  const request = (line: string, body = ''): string =>
    `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nAccept: */*\r\n` +
    (body === '' ? '\r\n' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const run = randomUUID()
  let orders = 0
  const create = (): string => {
    orders += 1
    const list = lists[orders % lists.length]
    return request(
      'POST /order/create',
      `{"productList":${list},"wallet":"USD","reference":"${run}-${orders}"}`,
    )
  }
  const confirm = (id: string): string => request('PUT /order/confirm', `{"orderId":"${id}"}`)
  const get = (id: string): string => request(`GET /order/get?orderId=${id}`)

  const created: string[] = []
  const confirmed: string[] = []
  return {
    *create() {
      for (;;) created.push(idIn(yield create()))
    },
    *confirm() {
      for (let id = created.pop(); id !== undefined; id = created.pop()) {
        yield confirm(id)
        confirmed.push(id)
      }
    },
    *get() {
      for (let turn = 0; ; turn += 1) yield get(confirmed[turn % confirmed.length] ?? '')
    },
    *mixed() {
      for (;;) {
        const id = idIn(yield create())
        yield confirm(id)
        for (let turn = 0; turn < getsPerOrder; turn += 1) yield get(id)
      }
    },
  }
}

/** How many orders so many requests of the mixed work make. */
export const ordersIn = (mixedRequests: number): number => mixedRequests / (getsPerOrder + 2)

const idIn = (body: string): string => {
  const at = body.indexOf('"id":"') + 6
  return body.slice(at, body.indexOf('"', at))
}
