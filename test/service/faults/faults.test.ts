// Faults: what each kind does to an answer and to the order, how frequency it happens, and how one asks for it.
import { describe, expect, test } from 'vitest'
import { openService, ways } from '../../support/embedded.ts'
import { aWhile, until } from '../../support/webhook-sender.ts'

type Service = Awaited<ReturnType<typeof openService>>

const json = 'application/json; charset=utf-8'
const plainJson = 'application/json'
const good = (id: string): string =>
  `{"message":"Order confirmed successfully.","data":{"id":"${id}","state":"confirmed"}}`
const half = (id: string): string => good(id).slice(0, good(id).length / 2)
const noise = new TextDecoder().decode(Uint8Array.from({ length: 256 }, (_, at) => 255 - at))

/** What a client gets of a confirmation: status, type and text, or why there is none. */
const outcome = async (service: Service, id: string): Promise<unknown> => {
  try {
    const { status, headers, text } = await service.confirm(id)
    return [status, headers['content-type'], text]
  } catch (error) {
    return (error as Error).message
  }
}

const add = (service: Service, fault: string) => service.mock('POST', '/faults', { fault })
const statuses = async (service: Service, count: number): Promise<number[]> => {
  const found: number[] = []
  for (let turn = 0; turn < count; turn += 1) found.push((await service.get('ord_1')).status)
  return found
}

const before = 'created'
const after = 'confirmed'
const reset = 'the connection was reset'
const closed = 'the connection closed without an answer'

describe.each(ways)('a fault %s', (name, way) => {
  test.each<[string, string, (id: string) => unknown]>([
    ['status=503', before, () => [503, plainJson, '{"message":"Fault 503"}']],
    ['status=418,{"message":"a pot"}', before, () => [418, plainJson, '{"message":"a pot"}']],
    ['status=200,', before, () => [200, plainJson, '']],
    ['reset-before', before, () => reset],
    [
      'html',
      before,
      () => [502, 'text/html; charset=utf-8', expect.stringMatching(/^<!doctype html>.*Bad Gateway/)],
    ],
    ['redirect', before, () => [307, plainJson, '{"message":"Temporary Redirect"}']],
    ['reset-after', after, () => reset],
    ['empty', after, () => closed],
    ['bad-json', after, (id) => [200, json, half(id)]],
    ['garbage', after, () => [200, json, noise]],
    ['content-type', after, (id) => [200, 'text/plain', good(id)]],
    ['content-type=text/xml', after, (id) => [200, 'text/xml', good(id)]],
    ['latency=0', after, (id) => [200, json, good(id)]],
    // Only a socket can tell that the answer should have gone on.
    [
      'truncate',
      after,
      (id) => (name === 'in process' ? [200, json, half(id)] : `cut after ${half(id).length} bytes`),
    ],
  ])('%s leaves the order %s', async (source, state, wanted) => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await add(service, `confirm:${source}`)
    expect(await outcome(service, id)).toEqual(wanted(id))
    expect(await service.state(id)).toBe(state)
    // It was for one request.
    const next = state === before ? [200, json, good(id)] : [404, json, '{"message":"Not Found"}']
    expect(await outcome(service, id)).toEqual(next)
  })

  test('that truncates an answer announces all of it', async () => {
    await using service = await openService({ way })
    await add(service, 'get:truncate')
    const cut = await service.transport({ method: 'GET', path: '/order/get', headers: {} }).then(
      ({ headers, body }) => [headers['content-length'], body.length],
      (error: Error) => error.message,
    )
    const whole = '{"message":"Credentials missing or invalid."}'
    const bytes = Math.floor(whole.length / 2)
    expect(cut).toEqual(name === 'in process' ? [`${whole.length}`, bytes] : `cut after ${bytes} bytes`)
  })

  test('redirects to where it is told', async () => {
    await using service = await openService({ way })
    await add(service, 'get:redirect')
    await add(service, 'get:redirect=https://example.com')
    const targets = [await service.get('ord_1'), await service.get('ord_1')].map(
      ({ headers }) => headers.location,
    )
    expect(targets).toEqual(['http://127.0.0.1:9/', 'https://example.com/'])
  })

  test('drips an answer a byte at a time', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await add(service, 'confirm:drip=250ms')
    if (name === 'in process') {
      const headers = { 'content-type': 'application/json', 'x-api-key': 'the-key' }
      const body = JSON.stringify({ orderId: id })
      const { msPerByte } = await service.transport({ method: 'PUT', path: '/order/confirm', headers, body })
      expect(msPerByte).toBe(250)
      return
    }
    let steps = 0
    let over = false
    const answer = outcome(service, id).finally(() => {
      over = true
    })
    for (;;) {
      await until(() => over || service.clock.sleepers.size > 0)
      if (over) break
      service.clock.advance(250)
      steps += 1
    }
    expect(await answer).toEqual([200, json, good(id)])
    expect(steps).toBeGreaterThanOrEqual(good(id).length - 1)
  })

  test('happens as frequency as it is told, on its operation alone', async () => {
    await using service = await openService({ way })
    await add(service, 'get:status=503x3')
    expect((await service.create(['GAME-US'])).status).toBe(200)
    expect(await statuses(service, 5)).toEqual([503, 503, 503, 404, 404])
  })

  test('on any operation spares the control side', async () => {
    await using service = await openService({ way })
    await add(service, 'any:status=503x3')
    const replies = [await service.mock('GET', '/state'), await service.raw('GET', '/nowhere')]
    replies.push(await service.create([]), await service.confirm('ord_1'), await service.get('ord_1'))
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 503, 503, 503])
  })

  test('comes before those that were added later', async () => {
    await using service = await openService({ way })
    for (const fault of ['get:status=500', 'any:status=501x2', 'get:status=502']) await add(service, fault)
    expect(await statuses(service, 5)).toEqual([500, 501, 501, 502, 404])
  })

  test('with a chance comes as the seed has it', async () => {
    const draw = async (seed: string, fault: string): Promise<string> => {
      await using service = await openService({ way, seed })
      await add(service, fault)
      return (await statuses(service, 40)).join()
    }
    const half = 'get:status=503@50%'
    const [first, again, other] = [await draw('a', half), await draw('a', half), await draw('b', half)]
    const share = first.split(',').filter((status) => status === '503').length / 40
    expect([first === again, first === other, share > 0.25 && share < 0.75]).toEqual([true, false, true])
    expect(new Set((await draw('a', 'get:status=503@0%')).split(','))).toEqual(new Set(['404']))
    expect(new Set((await draw('a', 'get:status=503@100%')).split(','))).toEqual(new Set(['503']))
  })

  test('may be there from the start, and is gone after a reset', async () => {
    const fault = { operation: 'get', kind: 'html', frequency: { rate: 1 } } as const
    await using service = await openService({ way, faults: [fault] })
    expect(await statuses(service, 2)).toEqual([502, 502])
    await service.mock('POST', '/reset')
    expect(await statuses(service, 1)).toEqual([404])
  })

  test('is listed, added and removed', async () => {
    await using service = await openService({ way })
    const replies = [
      await add(service, 'get:status=503x3'),
      await add(service, 'any:html@7%'),
      await add(service, 'confirm:reset-after'),
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
    const gone = await service.mock('DELETE', '/faults?id=2')
    expect([gone.status, gone.message]).toEqual([
      404,
      'No fault has this id. List the faults: GET /_mock/faults',
    ])
    expect((await service.mock('DELETE', '/faults')).data).toEqual([])
    expect((await add(service, 'get:html')).data).toEqual({ id: 4 })
  })

  test('that nobody knows is refused', async () => {
    await using service = await openService({ way })
    const reply = await add(service, 'get:flood')
    expect([reply.status, reply.message]).toEqual([
      400,
      expect.stringMatching(/^unknown fault flood; use one of status, latency,/),
    ])
    expect(await service.mock('POST', '/faults', {})).toMatchObject({ status: 400 })
  })

  test('is in the log, beside what the work came to', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    for (const fault of ['confirm:reset-before', 'confirm:latency=0', 'confirm:reset-after']) {
      await add(service, fault)
      if (!fault.includes('latency')) await outcome(service, id)
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

  test('that waits does its work only then', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await add(service, 'confirm:latency=2s')
    const answer = outcome(service, id)
    await until(() => service.clock.sleepers.size === 1)
    service.clock.advance(1_999)
    await aWhile()
    expect(await service.state(id)).toBe(before)
    service.clock.advance(1)
    expect(await answer).toEqual([200, json, good(id)])
  })

  test('or none, the service takes its time where it is told to', async () => {
    const waits = async (seed: string): Promise<number[]> => {
      await using service = await openService({ way, seed, latency: { from: 50, to: 200 } })
      const found: number[] = []
      for (let turn = 0; turn < 10; turn += 1) {
        const answer = service.get('ord_1')
        await until(() => service.clock.sleepers.size === 1)
        const [sleeper] = service.clock.sleepers
        found.push((sleeper?.until ?? 0) - service.clock.now())
        service.clock.advance(200)
        await answer
      }
      return found
    }
    const [first, again] = [await waits('a'), await waits('a')]
    expect(first).toEqual(again)
    expect(new Set(first).size).toBeGreaterThan(5)
    expect(first.every((ms) => ms >= 50 && ms <= 200)).toBe(true)
  })
})
