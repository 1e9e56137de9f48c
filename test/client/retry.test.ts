// What is tried again, how often, and after which wait. What spends never is, once a byte may have left.
import { describe, expect, test } from 'vitest'
import { retrying } from '../../src/client/retry.ts'
import { endpoints } from '../../src/contract/endpoints.ts'
import { Disconnected, NotSent } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { answering, type Given, quickClock } from '../support/client-api.ts'

/** How often it was sent, the waits between, and the end. */
const run = async (operation: keyof typeof endpoints, answers: readonly Given[], random = 0.5) => {
  const { transport, seen } = answering(...answers)
  const { clock, waits } = quickClock()
  const patient = retrying(transport, { clock, random: () => random })
  const end = await patient({ ...endpoints[operation], headers: {} }).then(
    ({ status }) => status,
    (error: Error) => error.name,
  )
  return [seen.length, waits, end]
}

const away = new NotSent('connection refused')
const reset = new Disconnected('reset')
const asking = (value: string, status = 503) => ({ status, headers: { 'retry-after': value } })

describe.each(['create', 'confirm'] as const)('%s', (operation) => {
  test('is tried three times while nothing leaves', async () => {
    expect(await run(operation, [away])).toEqual([3, [600, 2_600], 'NotSent'])
    expect(await run(operation, [away, {}])).toEqual([2, [600], 200])
  })

  test.each<[string, Given]>([
    ['a reset', reset],
    ['an error', new Error('connection reset')],
    ['a 429', asking('1', 429)],
    ['a 503 that asks for it', asking('1')],
    ['a 500', { status: 500 }],
    ['a redirect', { status: 307 }],
  ])('is sent once, whatever comes: %s', async (_name, answer) => {
    expect((await run(operation, [answer])).slice(0, 2)).toEqual([1, []])
    expect((await run(operation, [away, answer])).slice(0, 2)).toEqual([2, [600]])
  })
})

describe('get', () => {
  test.each<[string, Given, number | string]>([
    ['nothing leaves', away, 'NotSent'],
    ['the connection breaks', reset, 'Disconnected'],
    ['there are too many requests', { status: 429 }, 429],
    ['the service fails', { status: 502 }, 502],
  ])('is tried three times while %s', async (_name, answer, end) => {
    expect(await run('get', [answer])).toEqual([3, [600, 2_600], end])
    expect(await run('get', [answer, {}])).toEqual([2, [600], 200])
  })

  test.each<[string, Given, number | string]>([
    ['a refusal', { status: 404 }, 404],
    ['a redirect', { status: 302 }, 302],
    ['a success', {}, 200],
    ['a failure of our own', new Failure('local-state', 'no'), 'Failure'],
  ])('is not tried again after %s', async (_name, answer, end) => {
    expect(await run('get', [answer])).toEqual([1, [], end])
  })

  test.each<[string, number[]]>([
    ['7', [7_000, 7_000]],
    ['0', [200, 200]],
    ['29', [29_000, 29_000]],
    // The clock of the test.
    [new Date(1_700_000_000_000 + 9_000).toUTCString(), [9_000, 9_000]],
    ['31', []],
    [new Date(1_700_000_000_000 + 60_000).toUTCString(), []],
    ['soon', [600, 2_600]],
    ['-1', [200, 200]],
  ])('waits as long as it is told to: Retry-After %s', async (value, waits) => {
    expect((await run('get', [asking(value)]))[1]).toEqual(waits)
  })

  test('waits between 0.2 and 5 s by chance', async () => {
    expect((await run('get', [reset], 0))[1]).toEqual([200, 200])
    const [, waits] = await run('get', [reset], 0.999999)
    expect((waits as number[]).map(Math.round)).toEqual([1_000, 5_000])
  })

  test('is not tried again once its caller has given up', async () => {
    const stop = new AbortController()
    const { transport, seen } = answering(reset)
    const { clock } = quickClock()
    const sleep = async () => stop.abort()
    const patient = retrying(transport, { clock: { ...clock, sleep }, random: () => 0 })
    const sent = patient({ ...endpoints.get, headers: {}, signal: stop.signal })
    await expect(sent).rejects.toThrow(reset)
    expect(seen).toHaveLength(1)
  })
})
