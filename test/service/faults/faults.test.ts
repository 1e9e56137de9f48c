// Faults: their effect on the response and the order, their frequency, and their control routes.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawLatency, parseLatency } from '../../../src/service/faults/faults.ts'
import { openService, ways } from '../../support/embedded.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'

type Service = Awaited<ReturnType<typeof openService>>

const json = 'application/json; charset=utf-8'
const plainJson = 'application/json'
const goodAnswer = (id: string): string =>
  `{"message":"Order confirmed successfully.","data":{"id":"${id}","state":"confirmed"}}`
const halfAnswer = (id: string): string => goodAnswer(id).slice(0, goodAnswer(id).length / 2)
const garbage = new TextDecoder().decode(Uint8Array.from({ length: 256 }, (_, index) => 255 - index))

/** Returns status, type and body of the response, or the message of the error. */
const confirm = async (service: Service, id: string): Promise<unknown> => {
  try {
    const { status, headers, text } = await service.confirm(id)
    return [status, headers['content-type'], text]
  } catch (error) {
    return (error as Error).message
  }
}

const addFault = (service: Service, fault: string) => service.mock('POST', '/faults', { fault })
const getStatuses = async (service: Service, count: number): Promise<number[]> => {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push((await service.get('ord_1')).status)
  return statuses
}

const unhandled = 'created'
const handled = 'confirmed'
const reset = 'the connection was reset'
const closed = 'the connection closed without a response'

describe.each(ways)('faults %s', (name, way) => {
  test.each<[string, string, (id: string) => unknown]>([
    ['status=503', unhandled, () => [503, plainJson, '{"message":"Fault 503"}']],
    ['status=418,{"message":"a pot"}', unhandled, () => [418, plainJson, '{"message":"a pot"}']],
    ['status=200,', unhandled, () => [200, plainJson, '']],
    ['reset-before', unhandled, () => reset],
    [
      'html',
      unhandled,
      () => [502, 'text/html; charset=utf-8', expect.stringMatching(/^<!doctype html>.*Bad Gateway/)],
    ],
    ['redirect', unhandled, () => [307, plainJson, '{"message":"Temporary Redirect"}']],
    ['reset-after', handled, () => reset],
    ['empty', handled, () => closed],
    ['bad-json', handled, (id) => [200, json, halfAnswer(id)]],
    ['garbage', handled, () => [200, json, garbage]],
    ['content-type', handled, (id) => [200, 'text/plain', goodAnswer(id)]],
    ['content-type=text/xml', handled, (id) => [200, 'text/xml', goodAnswer(id)]],
    ['latency=0', handled, (id) => [200, json, goodAnswer(id)]],
    // Only a socket reveals that the response is incomplete.
    [
      'truncate',
      handled,
      (id) =>
        name === 'in process' ? [200, json, halfAnswer(id)] : `cut after ${halfAnswer(id).length} bytes`,
    ],
  ])('%s leaves the order %s', async (source, state, wanted) => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, `confirm:${source}`)
    expect(await confirm(service, id)).toEqual(wanted(id))
    expect(await service.state(id)).toBe(state)
    // The fault applied to one request only.
    const next = state === unhandled ? [200, json, goodAnswer(id)] : [404, json, '{"message":"Not Found"}']
    expect(await confirm(service, id)).toEqual(next)
  })

  test('truncate announces the length of the whole response', async () => {
    await using service = await openService({ way })
    await addFault(service, 'get:truncate')
    const cut = await service.transport({ method: 'GET', path: '/order/get', headers: {} }).then(
      ({ headers, body }) => [headers['content-length'], body.length],
      (error: Error) => error.message,
    )
    const whole = '{"message":"Credentials missing or invalid."}'
    const bytes = Math.floor(whole.length / 2)
    expect(cut).toEqual(name === 'in process' ? [`${whole.length}`, bytes] : `cut after ${bytes} bytes`)
  })

  test('redirect uses the given address', async () => {
    await using service = await openService({ way })
    await addFault(service, 'get:redirect')
    await addFault(service, 'get:redirect=https://example.com')
    const targets = [await service.get('ord_1'), await service.get('ord_1')].map(
      ({ headers }) => headers.location,
    )
    expect(targets).toEqual(['http://127.0.0.1:9/', 'https://example.com/'])
  })

  test.each([
    ['status=429,retry-after=2', [429, '2', '{"message":"Fault 429"}']],
    ['status=503,retry-after=0,{"message":"busy"}', [503, '0', '{"message":"busy"}']],
    ['status=429', [429, undefined, '{"message":"Fault 429"}']],
  ])('%s sends the Retry-After of its value, and leaves the order unconfirmed', async (source, wanted) => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, `confirm:${source}`)
    const { status, headers, text } = await service.confirm(id)
    expect([status, headers['retry-after'], text]).toEqual(wanted)
    expect(await service.state(id)).toBe(unhandled)
  })

  test('drip sends a response one byte at a time', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, 'confirm:drip=250ms')
    if (name === 'in process') {
      expect(await confirm(service, id)).toEqual([200, json, goodAnswer(id)])
      return
    }
    let steps = 0
    let isDone = false
    const response = confirm(service, id).finally(() => {
      isDone = true
    })
    for (;;) {
      await waitUntil(() => isDone || service.clock.sleepers.size > 0)
      if (isDone) break
      service.clock.advance(250)
      steps += 1
    }
    expect(await response).toEqual([200, json, goodAnswer(id)])
    expect(steps).toBeGreaterThanOrEqual(goodAnswer(id).length - 1)
  })

  test('a count limits a fault to that many requests of its operation', async () => {
    await using service = await openService({ way })
    await addFault(service, 'get:status=503x3')
    expect((await service.create(['GAME-US'])).status).toBe(200)
    expect(await getStatuses(service, 5)).toEqual([503, 503, 503, 404, 404])
  })

  test('any applies to every operation, but not to the control routes', async () => {
    await using service = await openService({ way })
    await addFault(service, 'any:status=503x3')
    const replies = [await service.mock('GET', '/state'), await service.raw('GET', '/nowhere')]
    replies.push(await service.create([]), await service.confirm('ord_1'), await service.get('ord_1'))
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 503, 503, 503])
  })

  test('an older fault applies before a newer one', async () => {
    await using service = await openService({ way })
    for (const fault of ['get:status=500', 'any:status=501x2', 'get:status=502'])
      await addFault(service, fault)
    expect(await getStatuses(service, 5)).toEqual([500, 501, 501, 502, 404])
  })

  test('a percentage applies at random, and the same seed repeats it', async () => {
    const draw = async (seed: string, fault: string): Promise<string> => {
      await using service = await openService({ way, seed })
      await addFault(service, fault)
      return (await getStatuses(service, 40)).join()
    }
    const half = 'get:status=503@50%'
    const [first, again, other] = [await draw('a', half), await draw('a', half), await draw('b', half)]
    const share = first.split(',').filter((status) => status === '503').length / 40
    expect([first === again, first === other, share > 0.25 && share < 0.75]).toEqual([true, false, true])
    expect(new Set((await draw('a', 'get:status=503@0%')).split(','))).toEqual(new Set(['404']))
    expect(new Set((await draw('a', 'get:status=503@100%')).split(','))).toEqual(new Set(['503']))
  })

  test('a fault can be set at the start, and a reset removes it', async () => {
    const fault = { operation: 'get', kind: 'html', frequency: { rate: 1 } } as const
    await using service = await openService({ way, faults: [fault] })
    expect(await getStatuses(service, 2)).toEqual([502, 502])
    await service.mock('POST', '/reset')
    expect(await getStatuses(service, 1)).toEqual([404])
  })

  test('a fault can be added, listed and removed', async () => {
    await using service = await openService({ way })
    const replies = [
      await addFault(service, 'get:status=503x3'),
      await addFault(service, 'any:html@7%'),
      await addFault(service, 'confirm:reset-after'),
    ]
    expect(replies.map(({ data }) => data)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    await service.get('ord_1')
    const all = [
      { id: 1, fault: 'get:status=503x2' },
      { id: 2, fault: 'any:html@7%' },
      { id: 3, fault: 'confirm:reset-afterx1' },
    ]
    expect((await service.mock('GET', '/faults')).data).toEqual(all)
    const one = await service.mock('DELETE', '/faults?id=2')
    expect(one.data).toEqual([all[0], all[2]])
    const missing = await service.mock('DELETE', '/faults?id=2')
    expect([missing.status, missing.message]).toEqual([
      404,
      'No fault has this id. List the faults: GET /_mock/faults',
    ])
    expect((await service.mock('DELETE', '/faults')).data).toEqual([])
    expect((await addFault(service, 'get:html')).data).toEqual({ id: 4 })
  })

  test('an invalid fault is refused', async () => {
    await using service = await openService({ way })
    expect(await addFault(service, 'get:flood')).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^unknown fault flood; use one of status, latency,/),
    })
    expect(await service.mock('POST', '/faults', {})).toMatchObject({ status: 400 })
  })

  test('the log shows the fault and the result of the request', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    for (const fault of ['confirm:reset-before', 'confirm:latency=0', 'confirm:reset-after']) {
      await addFault(service, fault)
      if (!fault.includes('latency')) await confirm(service, id)
    }
    const { data } = await service.mock('GET', '/requests')
    const logged = data
      .filter(({ path }: { path: string }) => path === '/order/confirm')
      .map(({ status, message, fault }: Record<string, unknown>) => [status, message, fault])
    expect(logged).toEqual([
      [null, 'Order confirmed successfully.', 'latency reset-after'],
      [null, reset, 'reset-before'],
    ])
  })

  test('latency delays the request, not only its response', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, 'confirm:latency=2s')
    const response = confirm(service, id)
    await waitUntil(() => service.clock.sleepers.size === 1)
    service.clock.advance(1_999)
    await turnEventLoop()
    expect(await service.state(id)).toBe(unhandled)
    service.clock.advance(1)
    expect(await response).toEqual([200, json, goodAnswer(id)])
  })

  test('the general latency needs no fault, and the same seed repeats it', async () => {
    const measureWaits = async (seed: string): Promise<number[]> => {
      await using service = await openService({ way, seed, latency: { from: 50, to: 200 } })
      const found: number[] = []
      for (let turn = 0; turn < 10; turn += 1) {
        const response = service.get('ord_1')
        await waitUntil(() => service.clock.sleepers.size === 1)
        const [sleeper] = service.clock.sleepers
        found.push((sleeper?.until ?? 0) - service.clock.now())
        service.clock.advance(200)
        await response
      }
      return found
    }
    const [first, again] = [await measureWaits('a'), await measureWaits('a')]
    expect(first).toEqual(again)
    expect(new Set(first).size).toBeGreaterThan(5)
    expect(first.every((ms) => ms >= 50 && ms <= 200)).toBe(true)
  })
})

test.each([
  ['2s', { from: 2_000, to: 2_000 }],
  ['0', { from: 0, to: 0 }],
  ['50ms..200ms', { from: 50, to: 200 }],
  ['0..1m', { from: 0, to: 60_000 }],
  ['1s..1s', { from: 1_000, to: 1_000 }],
])('%s is a valid latency', (source, latency) => {
  expect(parseLatency(source)).toEqual(latency)
})

test.each(['', '..', '1s..', '..1s', '2s..1s', '1s..2s..3s', '1s...2s', '50-200ms', '50..200', ' 1s', '-1s'])(
  '%j is not a valid latency',
  (source) => {
    expect(parseLatency(source)).toBeUndefined()
  },
)

test('a drawn wait is a whole number within the range', () => {
  const bounds = fc
    .tuple(fc.nat(10_000), fc.nat(10_000))
    .map(([from, length]) => ({ from, to: from + length }))
  fc.assert(
    fc.property(bounds, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (latency, chance) => {
      const ms = drawLatency(latency, () => chance)
      expect(Number.isInteger(ms) && ms >= latency.from && ms <= latency.to).toBe(true)
    }),
  )
  expect([drawLatency({ from: 1, to: 9 }, () => 0), drawLatency({ from: 1, to: 9 }, () => 0.9999)]).toEqual([
    1, 9,
  ])
})
