// The background finishes orders and sends webhooks without a request.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { order } from '../../src/contract/schemas.ts'
import { createSignatureHeaders } from '../../src/service/webhooks/webhooks.ts'
import { openService, startTime } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { turnEventLoop, waitUntil } from '../support/wait-until.ts'
import { openReceiver } from './webhooks/webhook-receiver.ts'

type Options = Parameters<typeof openService>[0]

/** Opens a service with its background running. Its disposal checks that no timer is left. */
const openRunning = async (options: Options = {}) => {
  const service = await openService(options)
  const stop = new AbortController()
  const run = service.embedded.run(stop.signal)
  const stopRun = async () => {
    stop.abort()
    await run
  }
  return {
    ...service,
    stopRun,
    /** Waits until both background tasks sleep. */
    waitUntilIdle: () => waitUntil(() => service.clock.sleepers.size === 2),
    async [Symbol.asyncDispose]() {
      await stopRun()
      expect(service.clock.sleepers.size).toBe(0)
      await service[Symbol.asyncDispose]()
    },
  }
}

const readStates = (received: readonly { body: string }[]): unknown[] =>
  received.map(({ body }) => JSON.parse(body).state)

describe('a service with a running background', () => {
  test('sends the order when it is confirmed and when it is final, in the format of get', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning()
    const webhookUrl = receiver.url
    const id = await service.created(['GAME-US', 'TEST-FAIL'], { webhookUrl })
    await service.waitUntilIdle()
    await turnEventLoop()
    expect(receiver.received).toEqual([])

    await service.confirm(id)
    const confirmed = await service.get(id)
    await waitUntil(() => receiver.received.length === 1)
    await service.waitUntilIdle()
    service.clock.advance(2_000)
    await waitUntil(() => receiver.received.length === 2)
    const ended = await service.get(id)
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([confirmed.data, ended.data])
    expect(readStates(receiver.received)).toEqual(['confirmed', 'partial'])
    for (const { body } of receiver.received) readValid(order, readJson(body))

    await service.waitUntilIdle()
    const { data } = await service.mock('GET', '/deliveries')
    expect(data.map(({ event, state }: Record<string, unknown>) => [event, state])).toEqual([
      ['final', 'delivered'],
      ['confirmed', 'delivered'],
    ])
  })

  test('finishes an order without a request', async () => {
    using scratch = openScratch()
    await using service = await openRunning({ stateFile: scratch.file })
    await service.confirmed(['TEST-FAIL'])
    const loadStates = () =>
      readDatabase(scratch.file, (database) => database.prepare('SELECT state FROM orders').all())
    await service.waitUntilIdle()
    service.clock.advance(1_999)
    await turnEventLoop()
    expect(loadStates()).toEqual([{ state: 'confirmed' }])
    service.clock.advance(1)
    await service.waitUntilIdle()
    expect(loadStates()).toEqual([{ state: 'failed' }])
  })

  test('sends no second webhook if it is turned off', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ finalWebhook: false })
    const id = await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await waitUntil(() => receiver.received.length === 1)
    service.clock.advance(10_000)
    await service.waitUntilIdle()
    await turnEventLoop()
    expect([await service.state(id), readStates(receiver.received)]).toEqual(['successful', ['confirmed']])
  })

  test('sends no webhook for a refused confirmation or an order without an address', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning()
    const id = await service.created(['GAME-US'], { webhookUrl: receiver.url })
    await service.confirmed(['GAME-US'])
    service.clock.advance(600_000)
    expect((await service.confirm(id)).status).toBe(419)
    await service.waitUntilIdle()
    await turnEventLoop()
    expect([receiver.received, (await service.mock('GET', '/deliveries')).data]).toEqual([[], []])
  })

  test('stores a confirmation before it sends the webhook', async () => {
    using scratch = openScratch()
    const seen: unknown[] = []
    await using receiver = await openReceiver((response) => {
      const [id, state] = ['uid', 'state'].map(
        (field) => JSON.parse(receiver.received.at(-1)?.body ?? '')[field],
      )
      const row = readDatabase(scratch.file, (database) =>
        database
          .prepare('SELECT state FROM orders WHERE id = ? AND confirmed_at IS NOT NULL')
          .get(id as string),
      )
      seen.push([state, row?.state])
      response.end()
    })
    await using service = await openRunning({ stateFile: scratch.file })
    for (const sku of ['GAME-US', 'TEST-REJECT']) await service.confirmed([sku], { webhookUrl: receiver.url })
    await waitUntil(() => seen.length === 2)
    await service.waitUntilIdle()
    service.clock.advance(2_000)
    await waitUntil(() => seen.length === 4)
    expect(seen.toSorted()).toEqual([
      ['confirmed', 'confirmed'],
      ['confirmed', 'confirmed'],
      ['rejected', 'rejected'],
      ['successful', 'successful'],
    ])
  })

  test.each([
    ['its clock is advanced', '/clock', { advance: '1h' }, 'successful'],
    ['an outcome is set', '/outcome', { outcome: 'failed' }, 'failed'],
  ])('finishes an order and sends the webhook when %s', async (_, route, body, state) => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ processingMs: 3_600_000 })
    const orderId = await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await waitUntil(() => receiver.received.length === 1)
    await service.waitUntilIdle()
    await service.mock('POST', route, { orderId, ...body })
    await waitUntil(() => receiver.received.length === 2)
    expect(readStates(receiver.received)).toEqual(['confirmed', state])
  })

  test('finds orders of another process within ten seconds', async () => {
    using scratch = openScratch()
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ stateFile: scratch.file })
    await using other = await openService({ stateFile: scratch.file, seed: undefined, who: 'other' })
    await service.waitUntilIdle()
    await other.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await turnEventLoop()
    expect(receiver.received).toEqual([])
    service.clock.advance(10_000)
    await waitUntil(() => receiver.received.length === 2)
    expect(readStates(receiver.received).toSorted()).toEqual(['confirmed', 'successful'])
  })

  test('signs with the real time, not with its advanced clock', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ webhookSecret: 'secret' })
    await service.mock('POST', '/clock', { advance: '1h' })
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await waitUntil(() => receiver.received.length === 1)
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' }
    const id = String(headers['webhook-id'])
    expect(headers).toMatchObject(createSignatureHeaders({ id, at: startTime, body }, 'secret'))
  })

  test('sends a webhook again on request', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ finalWebhook: false })
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await waitUntil(() => receiver.received.length === 1)
    await service.waitUntilIdle()
    const { data } = await service.mock('GET', '/deliveries')
    await service.mock('POST', '/redeliver', { deliveryId: data[0].id })
    await waitUntil(() => receiver.received.length === 2)
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  })

  test('sends webhooks and finishes orders of an earlier process', async () => {
    using scratch = openScratch()
    await using receiver = await openReceiver(200)
    {
      await using service = await openService({ stateFile: scratch.file })
      await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    }
    await using service = await openRunning({ stateFile: scratch.file, who: 'later' })
    await waitUntil(() => receiver.received.length === 1)
    await service.waitUntilIdle()
    service.clock.advance(2_000)
    await waitUntil(() => receiver.received.length === 2)
    expect(readStates(receiver.received)).toEqual(['confirmed', 'successful'])
  })

  test('ends at once if it is stopped before it starts', async () => {
    await using service = await openService()
    await service.embedded.run(AbortSignal.abort())
    expect(service.clock.sleepers.size).toBe(0)
  })
})
