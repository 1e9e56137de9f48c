// What goes on without a request: outcomes are booked when they are due, and webhooks sent.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { order } from '../../src/contract/schemas.ts'
import { createSignatureHeaders } from '../../src/service/webhooks/signature.ts'
import { openService, start } from '../support/embedded.ts'
import { must } from '../support/must.ts'
import { looking, openScratch } from '../support/scratch.ts'
import { aWhile, until } from '../support/webhook-sender.ts'
import { openReceiver } from './webhooks/webhook-receiver.ts'

type Options = Parameters<typeof openService>[0]

/** A service that runs, and ends cleanly with the test: nobody is left asleep. */
const openRunning = async (options: Options = {}) => {
  const service = await openService(options)
  const stop = new AbortController()
  const run = service.embedded.run(stop.signal)
  const stopped = async () => {
    stop.abort()
    await run
  }
  return {
    ...service,
    stopped,
    /** Both halves of it have nothing to do now. */
    idle: () => until(() => service.clock.sleepers.size === 2),
    async [Symbol.asyncDispose]() {
      await stopped()
      expect(service.clock.sleepers.size).toBe(0)
      await service[Symbol.asyncDispose]()
    },
  }
}

const statesOf = (received: readonly { body: string }[]): unknown[] =>
  received.map(({ body }) => JSON.parse(body).state)

describe('a service that runs', () => {
  test('sends the order when it is confirmed and when it has ended, as get answers it', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning()
    const webhookUrl = receiver.url
    const id = await service.created(['GAME-US', 'TEST-FAIL'], { webhookUrl })
    await service.idle()
    await aWhile()
    expect(receiver.received).toEqual([])

    await service.confirm(id)
    const confirmed = await service.get(id)
    await until(() => receiver.received.length === 1)
    await service.idle()
    service.clock.advance(2_000)
    await until(() => receiver.received.length === 2)
    const ended = await service.get(id)
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([confirmed.data, ended.data])
    expect(statesOf(receiver.received)).toEqual(['confirmed', 'partial'])
    for (const { body } of receiver.received) must(order, readJson(body))

    await service.idle()
    const { data } = await service.mock('GET', '/deliveries')
    expect(data.map(({ event, state }: Record<string, unknown>) => [event, state])).toEqual([
      ['final', 'delivered'],
      ['confirmed', 'delivered'],
    ])
  })

  test('books an outcome that nobody asked for', async () => {
    using scratch = openScratch()
    await using service = await openRunning({ stateFile: scratch.file })
    await service.confirmed(['TEST-FAIL'])
    const states = () =>
      looking(scratch.file, (database) => database.prepare('SELECT state FROM orders').all())
    await service.idle()
    service.clock.advance(1_999)
    await aWhile()
    expect(states()).toEqual([{ state: 'confirmed' }])
    service.clock.advance(1)
    await service.idle()
    expect(states()).toEqual([{ state: 'failed' }])
  })

  test('says nothing of the end where that is switched off', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ finalWebhook: false })
    const id = await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => receiver.received.length === 1)
    service.clock.advance(10_000)
    await service.idle()
    await aWhile()
    expect([await service.state(id), statesOf(receiver.received)]).toEqual(['successful', ['confirmed']])
  })

  test('says nothing of an order that is refused, and nothing where there is no address', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning()
    const id = await service.created(['GAME-US'], { webhookUrl: receiver.url })
    await service.confirmed(['GAME-US'])
    service.clock.advance(600_000)
    expect((await service.confirm(id)).status).toBe(419)
    await service.idle()
    await aWhile()
    expect([receiver.received, (await service.mock('GET', '/deliveries')).data]).toEqual([[], []])
  })

  test('never sends a webhook before its confirmation is in the file', async () => {
    using scratch = openScratch()
    const seen: unknown[] = []
    await using receiver = await openReceiver((response) => {
      const [id, state] = ['uid', 'state'].map(
        (field) => JSON.parse(receiver.received.at(-1)?.body ?? '')[field],
      )
      const row = looking(scratch.file, (database) =>
        database
          .prepare('SELECT state FROM orders WHERE id = ? AND confirmed_at IS NOT NULL')
          .get(id as string),
      )
      seen.push([state, row?.state])
      response.end()
    })
    await using service = await openRunning({ stateFile: scratch.file })
    for (const sku of ['GAME-US', 'TEST-REJECT']) await service.confirmed([sku], { webhookUrl: receiver.url })
    await until(() => seen.length === 2)
    await service.idle()
    service.clock.advance(2_000)
    await until(() => seen.length === 4)
    expect(seen.toSorted()).toEqual([
      ['confirmed', 'confirmed'],
      ['confirmed', 'confirmed'],
      ['rejected', 'rejected'],
      ['successful', 'successful'],
    ])
  })

  test('wakes when its clock is put forward', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ processingMs: 3_600_000 })
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => receiver.received.length === 1)
    await service.idle()
    await service.mock('POST', '/clock', { advance: '1h' })
    await until(() => receiver.received.length === 2)
    expect(statesOf(receiver.received)).toEqual(['confirmed', 'successful'])
  })

  test('wakes when an outcome is forced', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ processingMs: 3_600_000 })
    const orderId = await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => receiver.received.length === 1)
    await service.idle()
    await service.mock('POST', '/outcome', { orderId, outcome: 'failed' })
    await until(() => receiver.received.length === 2)
    expect(statesOf(receiver.received)).toEqual(['confirmed', 'failed'])
  })

  test('finds in ten seconds what another process has confirmed', async () => {
    using scratch = openScratch()
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ stateFile: scratch.file })
    await using other = await openService({ stateFile: scratch.file, seed: undefined, who: 'other' })
    await service.idle()
    await other.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await aWhile()
    expect(receiver.received).toEqual([])
    service.clock.advance(10_000)
    await until(() => receiver.received.length === 2)
    expect(statesOf(receiver.received).toSorted()).toEqual(['confirmed', 'successful'])
  })

  test('signs at the time that receivers have, not at its own', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ webhookSecret: 'secret' })
    await service.mock('POST', '/clock', { advance: '1h' })
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => receiver.received.length === 1)
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' }
    const id = String(headers['webhook-id'])
    expect(headers).toMatchObject(createSignatureHeaders({ id, at: start, body }, 'secret'))
  })

  test('sends again what is asked for again', async () => {
    await using receiver = await openReceiver(200)
    await using service = await openRunning({ finalWebhook: false })
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => receiver.received.length === 1)
    await service.idle()
    const { data } = await service.mock('GET', '/deliveries')
    await service.mock('POST', '/redeliver', { deliveryId: data[0].id })
    await until(() => receiver.received.length === 2)
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  })

  test('goes on with what was due before it began', async () => {
    using scratch = openScratch()
    await using receiver = await openReceiver(200)
    {
      await using service = await openService({ stateFile: scratch.file })
      await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    }
    await using service = await openRunning({ stateFile: scratch.file, who: 'later' })
    await until(() => receiver.received.length === 1)
    await service.idle()
    service.clock.advance(2_000)
    await until(() => receiver.received.length === 2)
    expect(statesOf(receiver.received)).toEqual(['confirmed', 'successful'])
  })

  test('ends cleanly when it is stopped, deliveries under way included', async () => {
    const held: (() => void)[] = []
    await using receiver = await openReceiver((response) => held.push(() => response.end()))
    await using service = await openRunning()
    await service.confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await until(() => held.length === 1)
    let over = false
    const stopped = service.stopped().then(() => {
      over = true
    })
    await aWhile()
    expect(over).toBe(false)
    held[0]?.()
    await stopped
    const { data } = await service.mock('GET', '/deliveries')
    expect(data).toMatchObject([{ event: 'confirmed', state: 'delivered' }])
    // It books no more by itself, but answers still.
    service.clock.advance(2_000)
    await aWhile()
    expect(receiver.received).toHaveLength(1)
  })

  test('ends at once when it was stopped before it began', async () => {
    await using service = await openService()
    await service.embedded.run(AbortSignal.abort())
    expect(service.clock.sleepers.size).toBe(0)
  })
})
