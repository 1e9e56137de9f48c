// A sender of webhooks with an outbox in memory.
import { DatabaseSync } from 'node:sqlite'
import { createWebhooks, deliveriesSchema, openDeliveries } from '../../../src/service/webhooks.ts'
import { createManualClock, startTime } from '../../support/manual-clock.ts'
import { waitUntil } from '../../support/wait-until.ts'

type Extra = Partial<Parameters<typeof createWebhooks>[0]>

/** An outbox in memory with one delivery to each URL, and a sender. */
export const sender = (urls: readonly string[], extra: Extra = {}) => {
  const database = new DatabaseSync(':memory:')
  database.exec(deliveriesSchema)
  const deliveries = openDeliveries(database)
  const clock = createManualClock(startTime)
  const enqueue = (url: string, id: string) =>
    deliveries.enqueue({
      id,
      orderId: id,
      event: 'confirmed',
      url,
      payload: `{"id":"${id}"}`,
      at: clock.now(),
    })
  urls.forEach((url, index) => {
    enqueue(url, `msg-${index + 1}`)
  })
  const webhooks = createWebhooks({ deliveries, clock, allowed: new Set(), wallTime: clock.now, ...extra })
  /** Runs the sender until nothing more is due. */
  const deliver = async () => {
    const stop = new AbortController()
    const run = webhooks.run(stop.signal)
    // An attempt has its own timer.
    await waitUntil(() => clock.sleepers.size === 1)
    stop.abort()
    await run
  }
  const log = () =>
    deliveries.list({ limit: 100 }).map(({ state, attempts }) => ({
      state,
      attempts: attempts.map(({ at, ms, ...rest }) => ({ after: at - startTime, ...rest })),
    }))
  return { database, deliveries, clock, enqueue, webhooks, deliver, log }
}

/** The log of one delivery after one attempt. */
export const firstAttempt = async (url: string, extra: Extra = {}) => {
  const { deliver, log } = sender([url], extra)
  await deliver()
  return log()
}

export const once = (state: string, attempt: { status?: number; error?: string }) => [
  { state, attempts: [{ after: 0, ...attempt }] },
]
