// A sender of webhooks over an outbox in memory, and a clock that moves only by hand.
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../src/contract/clock.ts'
import { deliveriesSchema, openDeliveries } from '../../src/service/webhooks/deliveries.ts'
import { createWebhooks } from '../../src/service/webhooks/webhooks.ts'

export const handClock = (start = 1_700_000_000_000) => {
  let now = start
  let ahead = 0
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  const advance = (ms: number) => {
    now += ms
    for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
  }
  const clock: Clock = {
    now: () => now + ahead,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { until: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    newId: () => crypto.randomUUID(),
  }
  /** As a service's clock is advanced: who sleeps, sleeps on. */
  const putAhead = (ms: number) => {
    ahead += ms
  }
  return { ...clock, advance, putAhead, sleepers }
}

/** Lets the event loop turn, long enough for what must not happen to have happened. */
export const aWhile = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets the event loop turn until the condition holds; the test's own time-out ends it otherwise. */
export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

export const start = 1_700_000_000_000

type Extra = Partial<Parameters<typeof createWebhooks>[0]>

/** An outbox in memory with one delivery to each URL, and what sends them. */
export const sender = (urls: readonly string[], extra: Extra = {}) => {
  const database = new DatabaseSync(':memory:')
  database.exec(deliveriesSchema)
  const deliveries = openDeliveries(database)
  const clock = handClock(start)
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
  const log = () =>
    deliveries.list({ limit: 100 }).map(({ state, attempts }) => ({
      state,
      attempts: attempts.map(({ at, ms, ...rest }) => ({ after: at - start, ...rest })),
    }))
  return { database, deliveries, clock, enqueue, webhooks, log }
}

/** What the log says of one delivery after one attempt. */
export const firstAttempt = async (url: string, extra: Extra = {}) => {
  const { webhooks, log } = sender([url], extra)
  await webhooks.deliverDue()
  return log()
}

export const once = (state: string, attempt: { status?: number; error?: string }) => [
  { state, attempts: [{ after: 0, ...attempt }] },
]
