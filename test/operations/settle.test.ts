// A confirm without a valid response: orderctl asks for the order, and never confirms again.
import { expect, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { confirm as confirmOffer } from '../../src/operations/confirm.ts'
import type { Session } from '../../src/operations/dependencies.ts'
import { ending, offerOf, openSession } from './session.ts'

const confirm = (session: Session, orderId: string) => confirmOffer(session, offerOf(orderId))

/** With an order that was created. */
const openFaults = async (...faults: readonly string[]) => {
  const { service, session, seen, waits } = await openSession()
  const id = await service.created(['GAME-US'])
  for (const fault of faults) await service.mock('POST', '/faults', { fault })
  seen.length = 0
  return { session, id, seen, waits }
}

test('a confirm whose response is lost is unknown even if the journal became unreadable', async () => {
  const { session, id } = await openFaults('confirm:reset-before')
  const { read } = session.journal
  const all: typeof read.all = async (sql, values) => {
    if (sql.includes('WHERE number = $number')) throw new Failure('local-state', 'disk I/O error')
    return read.all(sql, values)
  }
  const journal = { ...session.journal, read: { ...read, all } }
  expect(await ending(confirm({ ...session, journal }, id))).toBe('unknown')
})

test('settling stops after 80 s even if single calls are slow', async () => {
  const { service, session } = await openSession(
    (transport) => (request) =>
      request.method === 'PUT' ? Promise.reject(new Error('lost')) : transport(request),
  )
  const id = await service.created(['GAME-US'])
  let asked = 0
  // Each get takes 30 s; the deadline of the whole comes as the clock passes it.
  const deadlines: { at: number; end: () => void }[] = []
  const pass = (ms: number): void => {
    service.clock.advance(ms)
    for (const { at, end } of deadlines) if (service.clock.monotonic() >= at) end()
  }
  const slow: Session = {
    ...session,
    clock: {
      ...session.clock,
      sleep: async (ms, signal) => {
        if (ms === 80_000)
          return new Promise((end) => deadlines.push({ at: service.clock.monotonic() + ms, end }))
        if (!signal?.aborted) pass(ms)
      },
    },
    api: {
      ...session.api,
      get: async (_id, { signal } = {}) => {
        asked += 1
        for (let left = 30; left > 0 && !signal?.aborted; left -= 1) {
          pass(1_000)
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { kind: 'unknown', reason: 'timed out' }
      },
    },
  }
  const started = service.clock.monotonic()
  expect(await ending(confirm(slow, id))).toBe('unknown')
  expect(asked).toBe(3)
  expect(service.clock.monotonic() - started).toBeLessThanOrEqual(81_000)
})

test('an interruption while settling ends it, and the outcome stays unknown', async () => {
  const stop = new AbortController()
  const { session, id, seen } = await openFaults('confirm:reset-before')
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms === 3_000) stop.abort('SIGINT')
    await session.clock.sleep(ms, signal)
  }
  const clock = { ...session.clock, sleep }
  expect(await ending(confirm({ ...session, clock, interrupted: stop.signal }, id))).toBe('unknown')
  expect(seen).toEqual(['confirm', 'get', 'get'])
})
