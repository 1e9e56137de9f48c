import { expect, test } from 'vitest'
import { createAcceptor, receivingLimits } from '../../../src/operations/listen/accept-delivery.ts'
import { type ServeOptions, serveOn } from '../../../src/server/http-server.ts'
import type { DeliveryTable, NewDelivery } from '../../../src/webhooks/deliveries.ts'
import { realClock } from '../../support/in-process.ts'

const path = '/hooks/3f9c'

type World = {
  readonly limits?: ServeOptions['limits']
  readonly insert?: DeliveryTable['insert']
  readonly secret?: string
}

const open = async ({ limits, insert = async () => 'new', secret }: World = {}) => {
  const deliveries: NewDelivery[] = []
  const refused: [status: number, reason: string][] = []
  const accept = createAcceptor({
    ...{ account: 'shop.example', secret, now: () => 1_000, newId: () => 'key', isForwarding: true },
    table: {
      insert: (delivery) => {
        deliveries.push(delivery)
        return insert(delivery)
      },
    },
    findOwn: async () => [],
    onAccepted: () => {},
    onRefused: (...refusal) => refused.push(refusal),
  })
  const server = await serveOn(accept, {
    ...{ host: '127.0.0.1', port: 0, secretPath: path, clock: realClock },
    limits: { ...receivingLimits, ...limits },
  })
  return {
    ...{ deliveries, refused, server, url: `${server.origin}${path}`, port: server.address.port },
    [Symbol.asyncDispose]: server.close,
  }
}

const body = '{"uid":"ord_1"}'

test('records the bytes and the time of a delivery', async () => {
  await using opened = await open()
  // No valid UTF-8.
  const bytes = Buffer.from('{"uid":"ord_1","x":"\xff"}', 'latin1')
  const headers = {
    'Webhook-Id': 'msg_1',
    'content-type': 'application/octet-stream',
    origin: 'http://a.example',
  }
  const response = await fetch(`${opened.url}?a=1`, { method: 'POST', body: bytes, headers })
  expect([response.status, await response.json()]).toEqual([200, { message: 'accepted' }])
  expect(opened.deliveries).toEqual([
    {
      ...{ orderId: 'ord_1', namedState: null, isOwn: 0, deliveryId: 'msg_1', received: 1_000 },
      ...{ key: expect.stringMatching(/^[\da-f]{32}$/), headers: null, body: new Uint8Array(bytes) },
    },
  ])
})

test.each([
  ['a different path', 'POST', '/hooks/3f9d', 404],
  ['a longer path', 'POST', `${path}/x`, 404],
  ['no path', 'GET', '/', 404],
  ['GET', 'GET', path, 405],
  ['PUT', 'PUT', path, 405],
])('refuses %s', async (_what, method, given, status) => {
  await using opened = await open()
  const response = await fetch(new URL(given, opened.url), { method })
  expect(response.status).toBe(status)
  expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
  expect(opened.deliveries).toEqual([])
  // A search for the path is not worth a line of the log.
  expect(opened.refused).toEqual(status === 404 ? [] : [[status, 'Send deliveries with POST.']])
})

test('refuses an encoded body, and one of more than 1 MiB', async () => {
  await using opened = await open()
  const send = async (length: number, headers = {}) =>
    (await fetch(opened.url, { method: 'POST', body: body.padEnd(length), headers })).status
  expect(await send(20, { 'content-encoding': 'gzip' })).toBe(415)
  expect(await send(1024 * 1024)).toBe(200)
  expect(await send(1024 * 1024 + 1)).toBe(413)
  expect(opened.deliveries).toHaveLength(1)
})

test.each([
  ['too many bytes', 'too many bytes wait'],
  [new Error('secret detail'), 'secret detail'],
])('responds with 503 and no detail if the delivery is not recorded: %s', async (result, reason) => {
  await using opened = await open({
    insert: async () => {
      if (result instanceof Error) throw result
      return result as 'too many bytes'
    },
  })
  const response = await fetch(opened.url, { method: 'POST', body })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toEqual({ message: 'Send it again later.' })
  expect(opened.refused).toEqual([[503, reason]])
})
