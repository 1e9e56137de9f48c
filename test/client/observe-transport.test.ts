// What an observer is told about each attempt. Retries and their waits: none once a byte may have been sent.
import { describe, expect, test } from 'vitest'
import { withRetries } from '../../src/client/api.ts'
import { type CallAttempt, withObserver } from '../../src/client/observe-transport.ts'
import {
  CutOffError,
  DisconnectedError,
  endpoints,
  type HttpRequest,
  NotSentError,
  type Transport,
} from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { apiOver, type Given, quickClock, request, responding } from '../support/client-api.ts'
import { openService } from '../support/embedded.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { turnEventLoop } from '../support/wait-until.ts'

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

/** Sends with a manual clock and returns the times of the requests. */
const timed = async (operation: keyof typeof endpoints, answers: readonly Given[], stepMs: number) => {
  const clock = createManualClock(0)
  const { transport } = responding(...answers)
  const times: number[] = []
  const send = withRetries(
    (sent) => {
      times.push(clock.now())
      return transport(sent)
    },
    { clock, random: () => 0.5 },
  )
  let isOver = false
  const end = () => {
    isOver = true
  }
  void send({ ...endpoints[operation], headers: {} }).then(end, end)
  while (!isOver) {
    await turnEventLoop()
    if (!isOver) clock.advance(stepMs)
  }
  return times
}

/** The number of attempts, the waits between them, and the result. */
const run = async (operation: keyof typeof endpoints, answers: readonly Given[], random = 0.5) => {
  const { transport, seen } = responding(...answers)
  const { clock, waits } = quickClock()
  const send = withRetries(transport, { clock, random: () => random })
  const end = await send({ ...endpoints[operation], headers: {} }).then(
    ({ status }) => status,
    (error: Error) => error.name,
  )
  return [seen.length, waits, end]
}

const away = new NotSentError('connection refused')
const reset = new DisconnectedError('reset')
const asking = (value: string, status = 503) => ({ status, headers: { 'retry-after': value } })

const from = (ms: number): string => new Date(1_700_000_000_000 + ms).toUTCString()
const changes = ['create', 'confirm'] as const

test.each(changes)('%s is tried three times if nothing is sent', async (operation) => {
  expect(await run(operation, [away])).toEqual([3, [600, 2_600], 'NotSentError'])
  expect(await run(operation, [away, {}])).toEqual([2, [600], 200])
  expect(await timed(operation, [away], 100)).toEqual([0, 600, 3_200])
})

test.each([...changes, 'get'] as const)(
  '%s is tried once if a person must do something',
  async (operation) => {
    const untrusted = new NotSentError('certificate is self-signed', 'Set NODE_EXTRA_CA_CERTS.')
    expect(await run(operation, [untrusted])).toEqual([1, [], 'NotSentError'])
  },
)

test.each<[string, Given]>([
  ['a reset', reset],
  ['an error', new Error('connection reset')],
  ['a 429', asking('1', 429)],
  ['a 503 that asks for it', asking('1')],
  ['a 500', { status: 500 }],
  ['a redirect', { status: 307 }],
])('create and confirm are sent once after %s', async (_name, answer) => {
  for (const operation of changes) {
    expect((await run(operation, [answer])).slice(0, 2)).toEqual([1, []])
    expect((await run(operation, [away, answer])).slice(0, 2)).toEqual([2, [600]])
  }
})

describe('get', () => {
  test.each<[string, number, Given, number | string]>([
    ['if nothing leaves', 3, away, 'NotSentError'],
    ['if the connection breaks', 3, reset, 'DisconnectedError'],
    ['after too many requests', 3, { status: 429 }, 429],
    ['if the service fails', 3, { status: 502 }, 502],
    ['after a refusal', 1, { status: 404 }, 404],
    ['after a refusal with Retry-After', 1, asking('1', 404), 404],
    ['after a redirect', 1, { status: 302 }, 302],
    ['after a redirect with Retry-After', 1, asking('1', 302), 302],
    ['after a success', 1, {}, 200],
    ['after a failure of our own', 1, new Failure('local-state', 'no'), 'Failure'],
  ])('%s is tried %i times', async (_name, times, answer, end) => {
    expect(await run('get', [answer])).toEqual([times, times === 3 ? [600, 2_600] : [], end])
    if (times === 3) expect(await run('get', [answer, {}])).toEqual([2, [600], 200])
  })

  test.each<[string, number[]]>([
    ['7', [7_000, 7_000]],
    ['0', [200, 200]],
    ['29', [29_000, 29_000]],
    [from(9_000), [9_000, 9_000]],
    ['31', []],
    [from(60_000), []],
    ['soon', [600, 2_600]],
    ['-1', [200, 200]],
  ])('waits as long as Retry-After says: %s', async (value, waits) => {
    expect((await run('get', [asking(value)]))[1]).toEqual(waits)
  })
})
