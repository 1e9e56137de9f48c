// Deliveries of webhooks, and how many are sent at once.
import { describe, expect, test } from 'vitest'
import { startTime } from '../../support/manual-clock.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'
import { openReceiver } from './webhook-receiver.ts'
import { firstAttempt, once, sender } from './webhook-sender.ts'

describe('a delivery', () => {
  test('is a POST with the payload and no other data, and has its duration in the log', async () => {
    await using receiver = await openReceiver((response) => {
      clock.advance(250)
      response.end()
    })
    const { deliver, clock, deliveries } = sender([receiver.url])
    await deliver()
    expect(deliveries.list({ limit: 1 })[0]?.attempts).toEqual([{ at: startTime, status: 200, ms: 250 }])
    const sent = { 'content-type': 'application/json', 'user-agent': 'orderctl', 'content-length': '14' }
    const headers = { ...sent, host: `127.0.0.1:${receiver.port}`, connection: 'close' }
    expect(receiver.received).toEqual([{ method: 'POST', url: '/hook?a=1', headers, body: '{"id":"msg-1"}' }])
  })

  test('with the response 500 is retried with the same id when due, and attempts are reported', async () => {
    await using receiver = await openReceiver(500, 200)
    const reported: unknown[] = []
    const onAttempt = (attempt: unknown) => reported.push(attempt)
    const { deliver, clock, log } = sender([receiver.url], { secret: 's', onAttempt })
    for (const ms of [0, 999, 1]) {
      clock.advance(ms)
      await deliver()
      if (ms === 999) expect(log()).toEqual(once('pending', { status: 500 }))
    }
    const delivered = { after: 1_000, status: 200 }
    expect(log()).toEqual([{ state: 'delivered', attempts: [{ after: 0, status: 500 }, delivered] }])
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg-1', 'msg-1'])
    // Without the path of its URL.
    const delivery = { id: 'msg-1', orderId: 'msg-1', event: 'confirmed', origin: receiver.origin, ms: 0 }
    expect(reported).toEqual([
      { ...delivery, at: startTime, status: 500, number: 1, state: 'pending', retryInMs: 1_000 },
      { ...delivery, at: startTime + 1_000, status: 200, number: 2, state: 'delivered' },
    ])
  })

  test('that is redirected fails, and does not follow the redirect', async () => {
    await using elsewhere = await openReceiver(200)
    await using receiver = await openReceiver((response) =>
      response.writeHead(301, { location: elsewhere.url }).end(),
    )
    const redirected = once('pending', { status: 301, error: 'redirect not followed' })
    expect(await firstAttempt(receiver.url)).toEqual(redirected)
    expect(elsewhere.received).toEqual([])
  })
})

describe('the sender', () => {
  /** Holds each response until the test releases it. */
  const openGate = async () => {
    const held: (() => void)[] = []
    const receiver = await openReceiver((response) => held.push(() => response.end()))
    return Object.assign(receiver, { held })
  }

  test('sends four deliveries at once, and starts the next as soon as one ends', async () => {
    await using gate = await openGate()
    const { deliver, log } = sender(Array(6).fill(gate.url))
    const delivering = deliver()
    await waitUntil(() => gate.held.length === 4)
    await turnEventLoop()
    expect(gate.held).toHaveLength(4)
    gate.held[0]?.()
    await waitUntil(() => gate.held.length === 5)
    gate.held[1]?.()
    await waitUntil(() => gate.held.length === 6)
    for (const release of gate.held) release()
    await delivering
    expect(log()).toEqual(Array(6).fill(once('delivered', { status: 200 })[0]))
  })

  test('finishes running deliveries when it is stopped, and starts no others', async () => {
    await using gate = await openGate()
    const { webhooks, enqueue, log } = sender([gate.url])
    const stop = new AbortController()
    let isEnded = false
    const run = webhooks.run(stop.signal).then(() => {
      isEnded = true
    })
    await waitUntil(() => gate.held.length === 1)
    enqueue(gate.url, 'late')
    stop.abort()
    webhooks.wake()
    await turnEventLoop()
    expect(isEnded).toBe(false)
    gate.held[0]?.()
    await run
    expect(log()).toEqual([{ state: 'pending', attempts: [] }, ...once('delivered', { status: 200 })])
    expect(gate.received).toHaveLength(1)
  })
})
