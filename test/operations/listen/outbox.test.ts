// Forwarding from the spool: the sequence of each order, the waits, and what an earlier process has left.
import { mkdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Accepted } from '../../../src/operations/listen/accept-delivery.ts'
import type { Sent } from '../../../src/operations/listen/forward-queue.ts'
import { createOutbox } from '../../../src/operations/listen/outbox.ts'
import { openSpool, type SpoolFile } from '../../../src/webhooks/spool.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { folder } from '../../support/orderctl.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'

type Answer = (file: SpoolFile) => Sent | Promise<Sent>

const openWith = (answer: Answer, { place = folder(), maxBytes = 10_000 } = {}) => {
  const clock = createManualClock()
  const start = clock.monotonic()
  const spool = openSpool(place)
  const sent: string[] = []
  const times: number[] = []
  const forwarded: string[] = []
  const waits: number[] = []
  const toCheck: string[] = []
  const outbox = createOutbox({
    ...{ spool, clock, maxBytes },
    send: async (file) => {
      sent.push(file.receipt)
      times.push((clock.monotonic() - start) / 1000)
      return answer(file)
    },
    onForwarded: ({ receipt }) => forwarded.push(receipt),
    onFailed: (_file, _reason, waitMs) => waits.push(waitMs / 1000),
  })
  const save = (receipt: string, orderId: string, length = 10): SpoolFile | undefined =>
    outbox.save(
      { receipt, orderId, deliveryId: undefined, state: undefined },
      { headers: [], body: Buffer.alloc(length), at: Number(receipt.replace(/\D/g, '')) },
    )
  const add = (receipt: string, orderId: string): void => {
    const file = save(receipt, orderId)
    if (file !== undefined) outbox.forward(file)
  }
  const run = (record: (file: SpoolFile) => Accepted['kind'] = () => 'accepted') => {
    const stopping = new AbortController()
    const recorder = {
      record: async (file: SpoolFile): Promise<Accepted> => ({
        ...file,
        kind: record(file),
        number: 1,
        isOwn: false,
        needsCheck: file.receipt !== 'r1',
      }),
      onNeedsCheck: ({ receipt }: Accepted) => toCheck.push(receipt),
    }
    const running = outbox.run(recorder, stopping.signal)
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort()
        await running
      },
    }
  }
  const advance = async (seconds: number): Promise<void> => {
    for (let left = seconds * 2; left > 0; left -= 1) {
      clock.advance(500)
      await turnEventLoop()
    }
  }
  return { ...{ outbox, spool, sent, times, forwarded, waits, toCheck, save, add, run, advance } }
}

test('removes a delivery when the target has accepted it', async () => {
  const opened = openWith(() => ({ status: 204 }))
  await using _running = opened.run()
  for (const receipt of ['r1', 'r2', 'r3']) opened.add(receipt, receipt)
  await waitUntil(() => opened.forwarded.length === 3)
  expect(opened.spool.list()).toEqual([])
})

test('repeats a delivery after 1 s to 5 min until it is accepted', async () => {
  const opened = openWith(() => ({ status: opened.sent.length < 12 ? 500 : 200 }))
  await using _running = opened.run()
  opened.add('r1', 'ord_1')
  await opened.advance(2_000)
  expect(opened.waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect(opened.forwarded).toEqual(['r1'])
})

test.each([301, 400, 404, 410, 429, 500, 503])('keeps a delivery that is answered %i', async (status) => {
  const opened = openWith(() => ({ status }))
  await using _running = opened.run()
  opened.add('r1', 'ord_1')
  await waitUntil(() => opened.waits.length === 1)
  expect(opened.spool.list()).toHaveLength(1)
  expect(opened.spool.readError()).toMatchObject({
    reason: expect.stringContaining(`HTTP ${status}`),
    tries: 1,
  })
})

test('sends the deliveries of one order in sequence, and those of others meanwhile', async () => {
  const held = Promise.withResolvers<Sent>()
  const opened = openWith((file) => (file.receipt === 'r1' ? held.promise : { status: 200 }))
  await using _running = opened.run()
  opened.add('r1', 'ord_1')
  opened.add('r2', 'ord_1')
  opened.add('r3', 'ord_2')
  await waitUntil(() => opened.forwarded.length === 1)
  expect(opened.sent.sort()).toEqual(['r1', 'r3'])
  held.resolve({ status: 200 })
  await waitUntil(() => opened.forwarded.length === 3)
  expect(opened.forwarded).toEqual(['r3', 'r1', 'r2'])
})

test('a delivery that is refused does not hold up those of other orders', async () => {
  const opened = openWith((file) => ({ status: file.orderId === 'bad' ? 422 : 200 }))
  await using _running = opened.run()
  opened.add('r1', 'bad')
  opened.add('r2', 'bad')
  opened.add('r3', 'good')
  await opened.advance(10)
  opened.add('r4', 'good')
  await waitUntil(() => opened.forwarded.length === 2)
  expect(opened.spool.list().map(({ receipt }) => receipt)).toEqual(['r1', 'r2'])
})

test('tries one delivery at a time while the target does not answer', async () => {
  let isAway = true
  const opened = openWith(() => (isAway ? { error: 'connection refused' } : { status: 200 }))
  await using _running = opened.run()
  for (let index = 10; index < 30; index += 1) opened.add(`r${index}`, `ord_${index}`)
  await opened.advance(60)
  // Four at the start, and then after 1, 2, 4, 8, 16 and 32 s.
  expect(opened.sent.length).toBeLessThanOrEqual(10)
  isAway = false
  await opened.advance(70)
  expect(opened.forwarded).toHaveLength(20)
})

test('a delivery that the target never answers does not hold up the others', async () => {
  const opened = openWith((file) =>
    file.orderId === 'bad' ? { error: 'connection reset' } : { status: 200 },
  )
  await using _running = opened.run()
  opened.add('r10', 'bad')
  await opened.advance(10)
  for (let index = 11; index < 31; index += 1) opened.add(`r${index}`, `ord_${index}`)
  await opened.advance(60)
  expect(opened.forwarded).toHaveLength(20)
  await opened.advance(600)
  expect(opened.spool.list().map(({ receipt }) => receipt)).toEqual(['r10'])
  expect(opened.sent.length).toBeLessThan(35)
})

test('a new delivery is tried within 30 s, although another one was never answered for long', async () => {
  const opened = openWith((file) => (file.orderId === 'bad' ? { error: 'reset' } : { status: 200 }))
  await using _running = opened.run()
  opened.add('r1', 'bad')
  // In the middle of a wait of 256 s.
  await opened.advance(300)
  opened.add('r2', 'good')
  await opened.advance(30)
  expect(opened.forwarded).toEqual(['r2'])
  await opened.advance(400)
  expect(opened.waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
})

test('goes on if a file cannot be removed', async () => {
  const opened = openWith(() => ({ status: 200 }))
  await using _running = opened.run()
  const file = opened.save('r1', 'ord_1') as SpoolFile
  rmSync(file.path)
  mkdirSync(file.path)
  opened.outbox.forward(file)
  opened.add('r2', 'ord_1')
  await waitUntil(() => opened.forwarded.length === 1)
  expect(opened.forwarded).toEqual(['r2'])
})

test('records what an earlier process has left before it sends it', async () => {
  const place = folder()
  const before = openWith(() => ({ status: 200 }), { place })
  for (const receipt of ['r1', 'r2', 'r3']) before.save(receipt, receipt)

  const opened = openWith(() => ({ status: 200 }), { place })
  expect(opened.outbox.countUnrecorded()).toBe(3)
  let isLocked = true
  await using _running = opened.run((file) => {
    if (isLocked) throw new Error('locked')
    // Another machine has received the others.
    return file.receipt === 'r2' ? 'accepted' : 'duplicate'
  })
  await opened.advance(5)
  expect([opened.sent, opened.spool.list().length]).toEqual([[], 3])
  isLocked = false
  await opened.advance(20)
  expect([opened.sent, opened.toCheck, opened.spool.list()]).toEqual([['r2'], ['r2', 'r3'], []])
})

test('is full at its limit, also after a restart', async () => {
  const place = folder()
  const opened = openWith(() => ({ status: 200 }), { place, maxBytes: 1_000 })
  expect(opened.save('r1', 'ord_1', 600)).toBeDefined()
  expect(opened.save('r2', 'ord_2', 600)).toBeUndefined()
  const again = openWith(() => ({ status: 200 }), { place, maxBytes: 1_000 })
  expect(again.save('r2', 'ord_2', 600)).toBeUndefined()
  await using _running = again.run()
  await waitUntil(() => again.forwarded.length === 1)
  expect(again.save('r3', 'ord_3', 600)).toBeDefined()
})
