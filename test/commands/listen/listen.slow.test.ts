// orderctl listen, the built executable, with serve-mock as the sender.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createSignatureHeaders } from '../../../src/service/webhooks.ts'
import { openTarget } from '../../support/forward-target.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('prints the order of each delivery, updates the journal, and keeps codes out of both', async () => {
  const desk = await openDesk()
  const listener = await desk.listen()
  const id = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.ofKind('order').some(({ state }) => state === 'successful'))
  expect(listener.ofKind('order').at(-1)).toEqual({
    event: 'order',
    occurredAt: expect.stringMatching(/^\d{4}-.*Z$/),
    // Without a secret, serve-mock sends no id.
    orderId: id,
    known: true,
    reference: 'r-1',
    state: 'successful',
    money: 'spent',
    progress: 'successful',
    hasCodes: true,
    products: [expect.objectContaining({ sku: 'GAME-US', quote: 25, quantity: 2, delivered: 2 })],
    placedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  const { stdout: listed } = await desk.run(['list', '--json'])
  expect(JSON.parse(listed)).toMatchObject([{ id, state: 'successful' }])
  expect(await listener.stop()).toEqual({ exit: 130, stderr: '' })
  const { stdout: revealed } = await desk.run(['redeem', id, '--reveal', '--json'])
  const codes = [...revealed.matchAll(/"(?:redeemCardCode|redeemPin|code|pin)": "([^"]+)"/g)].map(
    ([, code]) => code,
  )
  expect(codes.length).toBeGreaterThan(0)
  const files = ['journal.db', 'listen.db'].map((name) => readFileSync(path.join(desk.state, name), 'latin1'))
  const written = JSON.stringify(listener.events) + files.join('')
  for (const code of codes) expect(written).not.toContain(code)
})

test('with a secret, accepts signed deliveries and journals no other', async () => {
  const desk = await openDesk(['--processing-time', '50ms', '--webhook-secret', secret])
  const listener = await desk.listen(['--secret-stdin'], `${secret}\n`)
  const id = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.ofKind('order').some(({ state }) => state === 'successful'))
  expect(listener.ofKind('order')[0].deliveryId).toMatch(/^msg_/)
  const body = '{"uid":"ord_forged","state":"successful"}'
  const old = createSignatureHeaders({ id: 'msg_1', at: Date.now() - 301_000, body }, secret)
  const forged = createSignatureHeaders({ id: 'msg_1', at: Date.now(), body }, 'another secret')
  expect([
    await listener.post(body),
    await listener.post(body, old),
    await listener.post(body, forged),
  ]).toEqual([401, 401, 401])
  await listener.stop()
  expect(listener.ofKind('refused').map(({ message }) => message)).toEqual([
    'not signed',
    'signed more than 5 min ago',
    'wrong signature',
  ])
  expect(new Set(desk.listRows().map((row) => row.order_id))).toEqual(new Set([id]))
})

const sign = (id: string, body: string) => createSignatureHeaders({ id, at: Date.now(), body }, secret)
const signed = ['--secret-stdin']

test('without a secret, forwards the order as get shows it, and records that its codes left', async () => {
  const desk = await openDesk(['--processing-time', '1h'])
  await using target = await openTarget()
  const listener = await desk.listen(['--forward-to', target.url])
  const id = await desk.buy('r-1')
  const forged = { uid: id, state: 'confirmed', redeem: 'forged' }
  expect(await listener.post(forged, { 'webhook-id': 'msg_1', 'x-other': '1' })).toBe(200)
  await waitUntil(() => target.accepted.length === 1)
  const headers = { authorization: `Bearer ${desk.mock.key}`, 'content-type': 'application/json' }
  await fetch(`${desk.mock.url}/_mock/clock`, { method: 'POST', headers, body: '{"advance":"2h"}' })
  expect(await listener.post({ uid: id, state: 'successful' }, { 'webhook-id': 'msg_1' })).toBe(200)
  await waitUntil(() => target.accepted.length === 2)
  await listener.stop()
  const [first, second] = target.accepted.map((each) => JSON.parse(each.body))
  expect([first.state, first.redeem, second.state]).toEqual(['confirmed', {}, 'successful'])
  expect(second.redeem['GAME-US'].cards).toHaveLength(2)
  expect(target.accepted[0]?.headers).toMatchObject({
    'webhook-id': 'msg_1',
    'content-type': 'application/json',
  })
  expect(target.accepted[0]?.headers).not.toHaveProperty('x-other')
  const reveals = JSON.parse((await desk.run(['reveals', '--json'])).stdout)
  expect(reveals).toMatchObject([{ orderId: id, how: 'replay', skus: ['GAME-US'] }])
})

test('with a secret, forwards the same bytes and headers until the target accepts them, also after a restart', async () => {
  const desk = await openDesk()
  await using target = await openTarget()
  target.goDown('status', 1_000)
  const words = ['--forward-to', target.url]
  const first = await desk.listen([...words, ...signed], secret)
  const body = '{"uid": "ord_1",\n "codes":"SECRET-CODE"}'
  const signature = sign('msg_1', body)
  const headers = { ...signature, 'content-type': 'application/json', cookie: 'c=1', 'x-other': '1' }
  expect(await first.post(body, headers)).toBe(200)
  expect(await first.post(body, headers)).toBe(200)
  await waitUntil(() => first.ofKind('duplicate').length === 1)
  const file = path.join(desk.state, 'listen.db')
  expect([desk.listRows().length, statSync(file).mode & 0o777]).toEqual([1, 0o600])

  for (const others of [words, []]) {
    const second = await desk.run(['listen', '--port', '0', ...others])
    expect({ exit: second.exit, said: second.stderr }).toEqual({
      exit: 9,
      said: expect.stringContaining('another listen receives the webhooks of this account'),
    })
  }
  await waitUntil(() => desk.listRows()[0]?.last_error !== null)
  const status = JSON.parse((await desk.run(['listen', '--status', '--json'])).stdout)
  expect(status).toEqual({
    ...{ listening: true, file, waitingCount: 1, bytes: body.length },
    ...{ oldestAt: expect.stringMatching(/Z$/), lastError: 'HTTP 503' },
  })
  const { stdout } = await desk.run(['listen', '--status'])
  expect(stdout).toMatch(
    /^listener +running\nwaiting +1 \(\d+ bytes\)\noldest .*\nlast error +HTTP 503\nfile .*\n$/,
  )
  expect((await first.stop()).stderr).toBe('')
  expect(first.ofKind('warning')).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('cannot forward to http://127.0.0.1:') }),
  )
  expect((await desk.run(['listen', '--status'])).stdout).toContain(
    'To send them, use --forward-to and your URL.',
  )

  const without = await desk.listen()
  expect((await without.stop()).stderr).toBe('')
  expect(JSON.stringify(without.events)).toContain('1 delivery waits to be forwarded since an earlier run')

  target.goDown('status', 1)
  const again = await desk.listen([...words, ...signed], secret)
  await waitUntil(() => again.ofKind('forwarded').length === 1)
  expect([again.events[0].waitingCount, desk.listRows().map((row) => row.body)]).toEqual([1, [null]])
  expect(target.accepted.map((each) => each.body)).toEqual([body])
  const {
    host,
    connection,
    'content-length': _,
    'user-agent': agent,
    ...kept
  } = target.accepted[0]?.headers ?? {}
  expect(kept).toEqual({
    ...signature,
    'content-type': 'application/json',
    'orderctl-delivery': expect.stringMatching(/^[\da-f]{32}$/),
  })
  expect([host, connection, agent]).toEqual([new URL(target.url).host, 'close', 'node'])
  // The first process has checked the order of the first delivery.
  const other = '{"uid":"ord_2"}'
  expect(await again.post(other, sign('msg_2', other))).toBe(200)
  await waitUntil(() => again.ofKind('order').length > 0 && again.ofKind('forwarded').length === 2)
  expect(again.ofKind('order').map(({ orderId }) => orderId)).toEqual(['ord_2'])
  await again.stop()
  expect((await desk.run(['listen', '--status'])).stdout).toContain('waiting   none')
})

test('shows and stores no key that a delivery contains, and forwards its body unchanged', async () => {
  const key = 'sk_live_4f9Q2w7Z'
  const desk = await openDesk(['--api-key', key])
  const env = { ORDERCTL_API_KEY: key }
  await using target = await openTarget()
  const listener = await desk.listen(['--forward-to', target.url, ...signed], secret, env)
  const id = await desk.buy('r-1', undefined, env)
  const encoded = Buffer.from(key).toString('base64')
  for (const uid of [`ord_${key}`, encoded]) {
    const text = JSON.stringify({ uid })
    expect(await listener.post(text, sign('msg_1', text))).toBe(422)
  }
  const body = JSON.stringify({ uid: key, order: { id: `${key}-2` }, other: id })
  const headers = sign(`msg_${encoded}`, body)
  expect([await listener.post(body, headers), await listener.post(body, headers)]).toEqual([200, 200])
  await waitUntil(() => listener.events.length === 6)
  const { stderr } = await listener.stop()
  expect(target.accepted.map((each) => [each.body, each.headers['webhook-id']])).toEqual([
    [body, `msg_${encoded}`],
  ])
  const kinds = listener.events.map(({ event }) => event)
  expect(kinds.toSorted()).toEqual(['duplicate', 'forwarded', 'listening', 'order', 'refused', 'refused'])
  expect(listener.ofKind('order')).toMatchObject([{ orderId: id, known: true }])
  const rows = desk.listRows()
  expect(rows).toMatchObject([{ order_id: id, delivery_id: null }])
  const shown = JSON.stringify([listener.events, stderr, rows])
  for (const secret of [key, encoded]) expect(shown).not.toContain(secret)
})
