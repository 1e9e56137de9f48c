// orderctl listen replay, the built executable.
import { expect, test } from 'vitest'
import { openTarget } from '../../support/forward-target.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

test('sends the orders of received deliveries again, marked and with their ids', async () => {
  // With a secret, serve-mock gives each delivery an id.
  const desk = await openDesk(['--processing-time', '50ms', '--webhook-secret', 'a secret'])
  await using target = await openTarget()
  const nothing = await desk.run(['listen', 'replay', '--forward-to', target.url])
  expect([nothing.exit, nothing.stdout]).toEqual([0, ''])
  expect(nothing.stderr).toContain('No delivery was received in this time')
  const listener = await desk.listen()
  const id = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.ofKind('order').some(({ state }) => state === 'successful'))
  expect(await listener.post({ uid: 'ord_unknown', state: 'failed' })).toBe(200)
  await waitUntil(() => listener.ofKind('order').some(({ known }) => !known))
  await listener.stop()

  const words = ['listen', 'replay', '--since', '1h', '--forward-to', target.url]
  const { exit, stdout, stderr } = await desk.run(words)
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: `${id}  ✓ successful  sent\n`.repeat(2),
    stderr: `Sent 2 of 2 deliveries to ${target.url}\n`,
  })
  const rows = desk.listRows().filter((row) => row.order_id === id)
  const ids = target.accepted.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual(rows.map((row) => row.delivery_id))
  expect(ids).toEqual([expect.stringMatching(/^msg_/), expect.stringMatching(/^msg_/)])
  for (const { headers, body } of target.accepted) {
    expect(headers).toMatchObject({ 'orderctl-replay': 'true', 'content-type': 'application/json' })
    expect(JSON.parse(body)).toMatchObject({ uid: id, state: 'successful', reference: 'r-1' })
    expect(body).toContain('redeemCardCode')
  }
  const { stdout: reveals } = await desk.run(['reveals', '--json'])
  expect(reveals).toContain('"how": "replay"')
})

test('says what the target did not accept', async () => {
  const desk = await openDesk()
  await using target = await openTarget()
  const listener = await desk.listen()
  const id = await desk.buy('r-1')
  await listener.post({ uid: id, state: 'confirmed' })
  await waitUntil(() => listener.ofKind('order').length === 1)
  await listener.stop()
  target.goDown('status', 100)
  const { exit, stdout, stderr } = await desk.run(['listen', 'replay', '--forward-to', target.url, '--json'])
  expect(exit).toBe(5)
  expect(JSON.parse(stdout)).toMatchObject({
    orderId: id,
    deliveryId: null,
    sent: false,
    problem: 'HTTP 503',
  })
  expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.message).toContain(
    'did not accept 1 of 1 delivery',
  )
})

test('with --from-journal, sends the paid orders that changed while nothing listened, once with one key', async () => {
  const desk = await openDesk(['--processing-time', '50ms'])
  await using target = await openTarget()
  const listener = await desk.listen()
  const seen = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.ofKind('order').some(({ state }) => state === 'successful'))
  await listener.stop()
  const missed = await desk.buy('r-2')
  await desk.run(['watch', missed])
  await desk.run(['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'unpaid'])

  const words = ['listen', 'replay', '--from-journal', '--forward-to', target.url, '--json']
  const runs = [await desk.run(words), await desk.run(words)]
  for (const { exit, stdout } of runs) {
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      { orderId: missed, deliveryId: null, state: 'successful', sent: true, problem: null },
    ])
  }
  expect(seen).not.toBe(missed)
  const [one, other] = target.accepted.map(({ headers, body }) => ({
    key: headers['orderctl-delivery'],
    state: JSON.parse(body).state,
  }))
  expect([one?.key, other]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), one])
})
