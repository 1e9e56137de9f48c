// What an observer is told about each attempt: retries, Retry-After, timeouts, refusals, and requests that were not
// sent.
import { expect, test } from 'vitest'
import { type CallAttempt, withObserver } from '../../src/client/observe-transport.ts'
import {
  CutOffError,
  endpoints,
  type HttpRequest,
  NotSentError,
  type Transport,
} from '../../src/contract/transport.ts'
import { apiOver, type Given, request, responding } from '../support/client-api.ts'
import { openService } from '../support/embedded.ts'
import { createManualClock } from '../support/manual-clock.ts'

const observe = (transport: Transport) => {
  const clock = createManualClock()
  const attempts: CallAttempt[] = []
  const onAttempt = (attempt: CallAttempt) => void attempts.push(attempt)
  return { clock, attempts, transport: withObserver(transport, { clock, onAttempt }) }
}

/** The attempts of one request with this response. */
const observeAnswer = async (answer: Given, more: Partial<HttpRequest> = {}) => {
  const { transport, attempts } = observe(responding(answer).transport)
  const end = await transport({ ...endpoints.get, headers: {}, ...more }).then(
    ({ status }) => status,
    (error: Error) => error,
  )
  return { attempts: attempts.map(({ startedAt: _, ...attempt }) => attempt), end }
}

test('each attempt of a get is reported, with its Retry-After', async () => {
  await using service = await openService()
  const id = await service.created(['GAME-US'])
  for (const fault of ['get:status=429,retry-after=2', 'get:status=503'])
    await service.mock('POST', '/faults', { fault })
  const { transport, attempts, clock } = observe(service.transport)
  const get = { operation: 'get', startedAt: clock.monotonic() }
  expect((await apiOver(transport).get(id)).kind).toBe('done')
  expect(attempts).toEqual([
    { ...get, status: 429, retryAfterMs: 2_000 },
    { ...get, status: 503 },
    { ...get, status: 200 },
  ])
})

test('create and confirm are reported once, a reset is an error, and a documented refusal is none of the server', async () => {
  await using service = await openService()
  const { transport, attempts } = observe(service.transport)
  const api = apiOver(transport)
  const created = await api.create(request(['GAME-US']))
  await service.mock('POST', '/faults', { fault: 'confirm:reset-after' })
  await api.confirm(created.kind === 'done' ? created.data.id : '')
  for (const sku of ['TEST-OUT-OF-STOCK', 'TEST-NO-EXCHANGE', 'TEST-SERVER-ERROR'])
    await api.create(request([sku]))
  expect(attempts.map(({ startedAt: _, ...attempt }) => attempt)).toEqual([
    { operation: 'create', status: 200 },
    { operation: 'confirm', error: 'other' },
    { operation: 'create', status: 500, isBusinessRefusal: true },
    { operation: 'create', status: 500, isBusinessRefusal: true },
    { operation: 'create', status: 500 },
  ])
})

test.each<[string, Error, CallAttempt['error']]>([
  ['a request that was not sent', new NotSentError('connection refused'), 'not-sent'],
  ['a lost answer', new Error('connection reset'), 'other'],
  ['half of a success', new CutOffError('reset', { status: 200, headers: {}, body: '{"' }), 'other'],
])('%s is reported, and its error is passed on', async (_name, error, kind) => {
  expect(await observeAnswer(error)).toEqual({ attempts: [{ operation: 'get', error: kind }], end: error })
})
