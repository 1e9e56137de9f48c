// Retries and their waits. A create or confirm is never retried once a byte may have been sent.
import { describe, expect, test } from 'vitest'
import { withRetries } from '../../src/client/api.ts'
import { DisconnectedError, endpoints, NotSentError } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { type Given, quickClock, responding } from '../support/client-api.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { turnEventLoop } from '../support/wait-until.ts'

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
