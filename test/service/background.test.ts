// The background finishes orders and sends webhooks without a request.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { order } from '../../src/contract/schemas.ts'
import { openService } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { turnEventLoop, waitUntil } from '../support/wait-until.ts'
import { type actsOn, testHistories } from './histories.ts'
import { openReceiver } from './webhooks/webhook-receiver.ts'

type Options = Parameters<typeof openService>[0]

/** A service with its background running, and a receiver. Its disposal checks that no timer is left. */
const openRunning = async (options: Options = {}, ...answers: Parameters<typeof openReceiver>) => {
  const receiver = await openReceiver(...answers)
  const service = await openService(options)
  const stop = new AbortController()
  const run = service.embedded.run(stop.signal)
  const { sleepers } = service.clock
  return {
    ...service,
    ...receiver,
    /** Waits until both background tasks sleep. */
    waitUntilIdle: async () => {
      await turnEventLoop()
      await waitUntil(() => sleepers.size === 2)
    },
    readStates: () => receiver.received.map(({ body }) => JSON.parse(body).state),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await run
      expect(sleepers.size).toBe(0)
      await service[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const backgroundActs = (
  service: Awaited<ReturnType<typeof openRunning>>,
  { acts }: ReturnType<typeof actsOn>,
) => ({
  create: (words: string) => acts.create(words.replace('HOOK', service.url)),
  advance: async (duration: string) => {
    await service.waitUntilIdle()
    acts.advance(duration)
  },
  received: async () => {
    await service.waitUntilIdle()
    return service.readStates().join(' ') || 'nothing'
  },
  last: async () => {
    const { body = '' } = service.received.at(-1) ?? {}
    const { uid } = readValid(order, readJson(body))
    expect(JSON.parse(body)).toEqual((await service.get(uid)).data)
    return 'as in get'
  },
  redeliver: async () => {
    const { data } = await service.mock('GET', '/deliveries')
    await service.mock('POST', '/redeliver', { deliveryId: data[0].id })
  },
})

describe('a service with a running background', () => {
  testHistories(
    `
== finishes an order, and sends it when it is confirmed and when it is final
  create GAME-US, TEST-FAIL to HOOK; received → nothing; confirm 1; received → confirmed; last → as in get
  advance 1999ms; received → confirmed; advance 1ms; received → confirmed partial; last → as in get
  GET /deliveries 1.event → confirmed; GET /deliveries 1.state → delivered
  GET /deliveries 0.event → final; GET /deliveries 0.state → delivered; GET /deliveries length → 2
== sends no webhook for a refused confirmation or an order without an address
  create GAME-US to HOOK; create GAME-US; confirm 2; advance 10m; confirm 1 → 419; received → nothing
  GET /deliveries length → 0
`,
    openRunning,
    backgroundActs,
  )

  testHistories(
    `
== sends no second webhook if it is turned off, and the first again on request
  create GAME-US to HOOK; confirm 1; received → confirmed; advance 10s; received → confirmed
  state 1 → successful; received → confirmed; redeliver; received → confirmed confirmed
`,
    () => openRunning({ finalWebhook: false }),
    backgroundActs,
  )

  testHistories(
    `
== finishes an order and sends the webhook when its clock is advanced
  create GAME-US to HOOK; confirm 1; received → confirmed; clock 1h; received → confirmed successful
== finishes an order and sends the webhook when an outcome is set
  create GAME-US to HOOK; confirm 1; received → confirmed; outcome 1 failed; received → confirmed failed
`,
    () => openRunning({ processingMs: 3_600_000 }),
    backgroundActs,
  )

  test('stores a confirmation before it sends the webhook', async () => {
    using scratch = openScratch()
    const seen: unknown[] = []
    await using service = await openRunning({ stateFile: scratch.file }, (response) => {
      const { uid, state } = JSON.parse(service.received.at(-1)?.body ?? '')
      const sql = 'SELECT state FROM orders WHERE id = ? AND confirmed_at IS NOT NULL'
      seen.push([state, readDatabase(scratch.file, (database) => database.prepare(sql).get(uid)?.state)])
      response.end()
    })
    for (const sku of ['GAME-US', 'TEST-REJECT']) await service.confirmed([sku], { webhookUrl: service.url })
    await waitUntil(() => seen.length === 2)
    await service.waitUntilIdle()
    service.clock.advance(2_000)
    await waitUntil(() => seen.length === 4)
    const states = ['confirmed', 'confirmed', 'rejected', 'successful']
    expect(seen.toSorted()).toEqual(states.map((state) => [state, state]))
  })
})
