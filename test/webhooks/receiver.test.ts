// The receiver of deliveries on a real socket: what it accepts, and its limits.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { Delivery } from '../../src/webhooks/delivery.ts'
import { type Answer, formatUrl, openReceiver, type ReceiverOptions } from '../../src/webhooks/receiver.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
import { waitUntil } from '../support/wait-until.ts'

const path = '/hooks/3f9c'

const open = async (options: Partial<ReceiverOptions> = {}) => {
  const deliveries: Delivery[] = []
  const refused: number[] = []
  const receiver = await openReceiver({
    host: '127.0.0.1',
    port: 0,
    path,
    now: () => 1_000,
    receive: async (delivery): Promise<Answer> => {
      deliveries.push(delivery)
      return { status: 200, text: 'accepted' }
    },
    onRefused: ({ status }) => refused.push(status),
    ...options,
  })
  return {
    ...{ deliveries, refused, receiver, url: receiver.url, port: Number(new URL(receiver.url).port) },
    [Symbol.asyncDispose]: receiver.close,
  }
}

const post = (length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: public.example\r\n${more}Content-Length: ${length}\r\n\r\n`

test('passes the bytes, the headers and the time of a delivery', async () => {
  await using opened = await open()
  const bytes = new Uint8Array([0, 255, 10, 200])
  const headers = { 'Webhook-Id': 'msg_1', 'content-type': 'application/octet-stream' }
  const response = await fetch(`${opened.url}?a=1`, { method: 'POST', body: bytes, headers })
  expect([response.status, await response.text()]).toEqual([200, 'accepted\n'])
  const [delivery] = opened.deliveries
  expect(new Uint8Array(delivery?.body ?? [])).toEqual(bytes)
  expect(delivery?.at).toBe(1_000)
  expect(delivery?.headers).toContainEqual(['webhook-id', 'msg_1'])
})

test.each([
  ['another path', 'POST', '/hooks/3f9d', 404],
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
  expect(opened.refused).toEqual(status === 404 ? [] : [status])
})

test('refuses an encoded body', async () => {
  await using opened = await open()
  const headers = { 'content-encoding': 'gzip' }
  expect((await fetch(opened.url, { method: 'POST', body: 'x', headers })).status).toBe(415)
})

test('accepts a body of 1 MiB and refuses a larger one', async () => {
  await using opened = await open()
  const send = async (length: number) =>
    (await fetch(opened.url, { method: 'POST', body: new Uint8Array(length) })).status
  expect(await send(1024 * 1024)).toBe(200)
  expect(await send(1024 * 1024 + 1)).toBe(413)
  expect(opened.deliveries).toHaveLength(1)
})

test('refuses a larger body of unknown length', async () => {
  await using opened = await open({ limits: { bodyBytes: 10 } })
  const head = post(0).replace('Content-Length: 0', 'Connection: close\r\nTransfer-Encoding: chunked')
  const { answers } = await exchange(opened.port, `${head}8\r\n12345678\r\n3\r\nabc\r\n0\r\n\r\n`)
  expect(answers).toEqual([expect.stringContaining('HTTP/1.1 413 ')])
})

test.each([
  ['headers', `POST ${path} HTTP/1.1\r\nHost: x\r\n`],
  ['body', `${post(10)}123`],
])('gives up on slow %s', async (_what, bytes) => {
  await using opened = await open({ limits: { requestMs: 200 } })
  const { answers } = await exchange(opened.port, bytes)
  expect(answers).toEqual([[408, '']])
  expect(opened.deliveries).toEqual([])
})

test('answers bytes that are not HTTP with 400', async () => {
  await using opened = await open()
  expect((await exchange(opened.port, 'hello\r\n\r\n')).answers).toEqual([[400, '']])
})

test('accepts headers of 16 KiB, and no more', async () => {
  await using opened = await open()
  const send = async (length: number) => {
    const head = post(0, `Connection: close\r\nX: ${'x'.repeat(length)}\r\n`)
    return (await exchange(opened.port, head)).answers
  }
  expect(await send(15.5 * 1024)).toEqual([expect.stringContaining('HTTP/1.1 200 ')])
  expect(await send(16 * 1024)).toEqual([[431, '']])
})

test.each([
  ['::', '::', 'IPv6', 'http://[::1]:80/p'],
  ['::1', '::1', 'IPv6', 'http://[::1]:80/p'],
  ['fd00::2', 'fd00::2', 'IPv6', 'http://[fd00::2]:80/p'],
  ['localhost', '::1', 'IPv6', 'http://localhost:80/p'],
  ['0.0.0.0', '0.0.0.0', 'IPv4', 'http://127.0.0.1:80/p'],
  ['192.0.2.1', '192.0.2.1', 'IPv4', 'http://192.0.2.1:80/p'],
])('prints a URL that a sender here can use if it listens on %s', (host, address, family, url) => {
  expect(formatUrl(host, { address, family, port: 80 }, '/p')).toBe(url)
})

test('answers everyone although one client has 300 slow connections', async () => {
  await using opened = await open({ limits: { headersMs: 60_000, requestMs: 60_000 } })
  const slow = Array.from({ length: 300 }, () => {
    const socket = connect(opened.port, '127.0.0.1').on('error', () => {})
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n`)
    return socket
  })
  await waitUntil(() => slow.filter(({ destroyed }) => destroyed).length === 300 - 128)
  for (let sent = 0; sent < 83; sent += 1) {
    const { answers } = await exchange(opened.port, post(0, 'Connection: close\r\n'))
    expect(answers).toEqual([expect.stringContaining('HTTP/1.1 200 OK')])
  }
  for (const socket of slow) socket.destroy()
})

test('accepts a limited number of connections', async () => {
  await using opened = await open({ limits: { connections: 2 } })
  const sockets = Array.from({ length: 3 }, () => connect(opened.port, '127.0.0.1').on('error', () => {}))
  await waitUntil(() => sockets.filter(({ destroyed }) => destroyed).length === 1)
  for (const socket of sockets) socket.destroy()
})

test('answers 500 if the delivery cannot be handled', async () => {
  await using opened = await open({ receive: () => Promise.reject(new Error('secret detail')) })
  const response = await fetch(opened.url, { method: 'POST', body: 'x' })
  expect([response.status, await response.text()]).toEqual([500, 'Unexpected error. Send it again later.\n'])
})

test('finishes an accepted delivery before it closes', async () => {
  const held = Promise.withResolvers<Answer>()
  await using opened = await open({ receive: () => held.promise })
  using raw = await openRaw(opened.port)
  raw.say(`${post(1)}x`)
  const late = await openRaw(opened.port)
  const closed = opened.receiver.close()
  held.resolve({ status: 200, text: 'accepted' })
  await closed
  const { answers } = await raw.closed()
  expect(answers).toEqual([expect.stringContaining('HTTP/1.1 200 OK')])
  await late.closed()
  await expect(fetch(opened.url, { method: 'POST' })).rejects.toThrow()
})

test('closes although a sender never finishes its request', async () => {
  await using opened = await open({ limits: { requestMs: 100 } })
  using raw = await openRaw(opened.port)
  raw.say(post(0))
  await raw.hears('200 OK')
  raw.say(`${post(100)}x`)
  // The server has read the first bytes when it has answered another sender.
  await fetch(opened.url, { method: 'POST' })
  await opened.receiver.close()
  await raw.closed()
})
