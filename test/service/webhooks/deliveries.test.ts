// The outbox of webhooks: claims, attempts and redeliveries.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Headers } from '../../../src/contract/transport.ts'
import {
  type ClaimedDelivery,
  chooseLeastDelay,
  deliveriesSchema,
  neverRetry,
  openDeliveries,
} from '../../../src/service/webhooks.ts'
import { testSteps } from '../../support/steps.ts'

const createDelivery = (id: string, orderId = id) => ({
  ...{ id, orderId, event: id.startsWith('final') ? ('final' as const) : ('confirmed' as const) },
  ...{ url: `http://127.0.0.1:1/${id}`, payload: `{"code":"SECRET-${id}"}` },
})

/** Attempts take 5 ms, claims are valid for 20 s. `record 2 500 at 9` records a response to the second claim. */
const openOutbox = () => {
  const database = new DatabaseSync(':memory:')
  database.exec(deliveriesSchema)
  const deliveries = openDeliveries(database)
  const claimed: ClaimedDelivery[] = []
  return {
    enqueue: (words: string) => {
      const [, id = '', orderId, at = 0] = /^(\S+)(?: for (\S+))?(?: at (\d+))?$/.exec(words) ?? []
      return deliveries.enqueue({ ...createDelivery(id, orderId), at: Number(at) })
    },
    /** Claims at most two. */
    claim: (words: string) => {
      const [at, ...except] = words.split(/ except | /)
      const claims = deliveries.claimDue(Number(at), 20_000, 2, except)
      for (const { tries, claimedUntil, orderId, ...claim } of claims) {
        const { orderId: _, ...delivery } = createDelivery(claim.id)
        expect(claim).toEqual(delivery)
        expect(claimedUntil).toBe(Number(at) + 20_000)
      }
      claimed.push(...claims)
      return (
        claims
          .map(({ id, tries }) => (tries === 0 ? id : `${id} after ${tries}`))
          .sort()
          .join(', ') || 'none'
      )
    },
    record: (words: string) => {
      const [, number, status, at, , delay] = /^(\d) (\S+) at (\d+)( delay (\S+))?$/.exec(words) ?? []
      const result = Number.isNaN(Number(status))
        ? { error: `it said "${status}"` }
        : { status: Number(status) }
      const claim = claimed[Number(number) - 1] ?? expect.fail(words)
      const recorded = deliveries.record(claim, { at: Number(at), ...result, ms: 5 }, Number(delay ?? 0))
      return Object.values(recorded).join(' ')
    },
    redeliver: (words: string) =>
      deliveries.redeliver(words.split(' ')[0] ?? '', Number(words.split(' ')[1])),
    due: (words: string) => deliveries.findNextDue(words.split(' ').slice(1)) ?? 'never',
    /** The newest two. */
    list: () => {
      const listed = deliveries.list({ limit: 2 })
      expect(JSON.stringify(listed)).not.toContain('SECRET')
      return listed
        .map(({ id, state, attempts }) =>
          [id, state, ...attempts.map(({ at, status, error }) => `${status ?? error}@${at}`)].join(' '),
        )
        .join(', ')
    },
  }
}

testSteps(
  `
== the outbox lists the newest delivery first, and accepts one for each order and event
  enqueue a for one → true; enqueue b for one → false; enqueue final-c for one → true; enqueue d → true
  list → d pending, final-c pending
== a claim takes due deliveries, oldest first, up to the given count
  enqueue a at 30; enqueue b at 10; enqueue c at 20; enqueue d at 40
  claim 30 → b, c; claim 30 → a; claim 30 → none; claim 40 → d
== a claim is exclusive until it expires
  enqueue a; claim 0 → a; claim 19999 → none; due → 20000; claim 20000 → a; due → 40000
== a claim leaves out the running deliveries of the caller
  enqueue a; enqueue b; claim 0 except a → b; due → 0; due except a → 20000; due except a b → never
== the responses 200 to 299 deliver
  enqueue a; enqueue b; claim 0; record 1 200 at 0 → 1 delivered; record 2 299 at 0 → 1 delivered
  due → never
== other responses are followed by another attempt, with a delay from its end
  enqueue a; enqueue b; claim 100; record 1 199 at 100 → 1 pending 1000
  record 2 300 at 100 → 1 pending 1000; due → 1105; list → b pending 300@100, a pending 199@100
== the sixth attempt that fails is the last
  enqueue a; claim 0 → a; record 1 500 at 0; due → 1005; claim 1005 → a after 1; record 2 500 at 1005
  due → 6010; claim 6010; record 3 500 at 6010; due → 36015; claim 36015; record 4 500 at 36015
  due → 156020; claim 156020; record 5 500 at 156020; due → 756025; claim 756025 → a after 5
  record 6 500 at 756025 → 6 given-up; due → never
== an attempt that cannot be retried is the last
  enqueue a; claim 0; record 1 no at 0 delay Infinity → 1 given-up; list → a given-up it said "no"@0
== the receiver may ask for a longer delay, but not for a shorter one
  enqueue a; claim 0; record 1 503 at 0 delay 7000 → 1 pending 7000; due → 7005
  claim 7005; record 2 503 at 7005 delay 3000 → 2 pending 5000; due → 12010
== a redelivery makes a delivered webhook due again, and keeps its earlier attempts
  enqueue a; claim 0; record 1 500 at 0; claim 1005; record 2 200 at 1005; redeliver a 9000 → true
  list → a pending 500@0 200@1005; claim 9000 → a
== a redelivery is kept if an attempt is running, and an unknown one is refused
  enqueue a; claim 0; redeliver a 50; record 1 200 at 0; list → a pending 200@0; due → 50
  redeliver b 0 → false
`,
  openOutbox,
)

const now = Date.UTC(2026, 6, 24, 12)

test.each<[number, string | undefined, number]>([
  [429, '7', 7_000],
  [503, '7', 7_000],
  [429, 'Fri, 24 Jul 2026 12:00:30 GMT', 30_000],
  [429, 'Fri, 24 Jul 2026 11:59:30 GMT', 0],
  [429, '600', 600_000],
  [503, '999999999999', 600_000],
  ...[undefined, '', 'soon', '-5', '0'].map((retryAfter): [number, string | undefined, number] => [
    429,
    retryAfter,
    0,
  ]),
  [404, '7', 0],
  [410, '7', neverRetry],
])(
  'a response %i with Retry-After %j delays the next attempt by at least %d ms',
  (status, retryAfter, ms) => {
    const headers: Headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    expect(chooseLeastDelay({ status, headers }, now)).toBe(ms)
  },
)
