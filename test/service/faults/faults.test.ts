// Faults: their effect on the response and the order, their frequency, and their control routes.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawLatency, parseLatency } from '../../../src/service/faults.ts'
import { openService, ways } from '../../support/embedded.ts'
import { rowsOf } from '../../support/rows.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'
import { type Service, testHistories } from '../histories.ts'

const json = '200 application/json; charset=utf-8'
const goodAnswer = (id: string): string =>
  `{"message":"Order confirmed successfully.","data":{"id":"${id}","state":"confirmed"}}`
const halfLength = Math.floor(goodAnswer('sbx_0123456789abcdef').length / 2)
const garbage = new TextDecoder().decode(Uint8Array.from({ length: 256 }, (_, index) => 255 - index))

/** Status, type and body of the response (GOOD, HALF, GARBAGE or its text), or the message of the error. */
const confirm = async (service: Service, id: string): Promise<string> => {
  try {
    const { status, headers, text } = await service.confirm(id)
    const body = {
      [goodAnswer(id)]: 'GOOD',
      [goodAnswer(id).slice(0, halfLength)]: 'HALF',
      [garbage]: 'GARBAGE',
    }
    const after = headers['retry-after'] === undefined ? '' : `, retry after ${headers['retry-after']}`
    return `${status} ${headers['content-type']}${after} ${body[text] ?? text}`
  } catch (error) {
    return (error as Error).message
  }
}

const addFault = (service: Service, fault: string) => service.mock('POST', '/faults', { fault })
const getStatuses = async (service: Service, count: number): Promise<string> => {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push((await service.get('ord_1')).status)
  return statuses.join(' ')
}

// Some faults leave the order as it was, and others damage the response to a request that was handled.
const effects = (truncated: string) => `
  created   | status=503                       | 503 application/json {"message":"Fault 503"}
  created   | status=418,{"message":"a pot"}   | 418 application/json {"message":"a pot"}
  created   | status=200,                      | 200 application/json
  created   | status=429,retry-after=2         | 429 application/json, retry after 2 {"message":"Fault 429"}
  created   | status=503,retry-after=0,{"a":1} | 503 application/json, retry after 0 {"a":1}
  created   | reset-before                     | the connection was reset
  created   | html                             | 502 text/html; charset=utf-8 <!doctype html>…
  created   | redirect                         | 307 application/json {"message":"Temporary Redirect"}
  confirmed | reset-after                      | the connection was reset
  confirmed | empty                            | the connection closed without a response
  confirmed | bad-json                         | ${json} HALF
  confirmed | garbage                          | ${json} GARBAGE
  confirmed | content-type                     | 200 text/plain GOOD
  confirmed | content-type=text/xml            | 200 text/xml GOOD
  confirmed | latency=0                        | ${json} GOOD
  confirmed | truncate                         | ${truncated}`

describe.each(ways)('faults %s', (name, way) => {
  const rows = rowsOf(effects(name === 'in process' ? `${json} HALF` : `cut after ${halfLength} bytes`))

  test.each(rows)('the order is %s after %s', async (state = '', source = '', wanted = '') => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, `confirm:${source}`)
    const found = (await confirm(service, id)).trim()
    expect(wanted.endsWith('…') ? found.slice(0, wanted.length - 1).concat('…') : found).toBe(wanted)
    expect(await service.state(id)).toBe(state)
    // The fault applied to one request only.
    const next =
      state === 'created' ? `${json} GOOD` : '404 application/json; charset=utf-8 {"message":"Not Found"}'
    expect(await confirm(service, id)).toEqual(next)
  })

  testHistories(
    `
== redirect uses the given address
  fault get:redirect; fault get:redirect=https://example.com
  location → http://127.0.0.1:9/; location → https://example.com/
== a count limits a fault to that many requests of its operation
  fault get:status=503x3; create GAME-US → 200; gets 5 → 503 503 503 404 404
== any applies to every operation, but not to the control routes
  fault any:status=503x3; GET /state → 200; GET /nowhere → 404
  create nothing → 503; confirm ord_1 → 503; get ord_1 → 503; get ord_1 → 404
== an older fault applies before a newer one
  fault get:status=500; fault any:status=501x2; fault get:status=502; gets 5 → 500 501 501 502 404
== a fault can be added, listed and removed
  fault get:status=503x3 → 200 {"id":1}; fault any:html@7% → 200 {"id":2}
  fault confirm:reset-after → 200 {"id":3}; get ord_1
  GET /faults 0 → {"id":1,"fault":"get:status=503x2"}; GET /faults 1 → {"id":2,"fault":"any:html@7%"}
  GET /faults 2 → {"id":3,"fault":"confirm:reset-afterx1"}
  DELETE /faults?id=2 → 200; GET /faults length → 2; GET /faults 1.id → 3
  DELETE /faults?id=2 → 404 No fault has this id. List the faults: GET /_mock/faults
  DELETE /faults → 200 []; fault get:html → 200 {"id":4}
== an invalid fault is refused
  fault get:flood → 400 unknown fault flood; use one of status, latency,…; POST /faults → 400
== the log shows the fault and the result of the request
  create GAME-US; fault confirm:reset-before; confirm 1
  fault confirm:latency=0; fault confirm:reset-after; confirm 1
  logged → null latency reset-after Order confirmed successfully.
`,
    () => openService({ way }),
    (service, { acts, idOf }) => ({
      confirm: (number) => acts.confirm(number).catch((error: Error) => error.message),
      gets: (count) => getStatuses(service, Number(count)),
      location: async () => (await service.get(idOf('1'))).headers.location,
      DELETE: async (path) => {
        const { status, message, data } = await service.mock('DELETE', path)
        return `${status} ${message ?? JSON.stringify(data)}`
      },
      logged: async () => {
        const { data } = await service.mock('GET', '/requests')
        const [{ status, fault, message }, earlier] = data.filter((each: { path: string }) =>
          each.path.endsWith('confirm'),
        )
        expect(earlier).toMatchObject({
          status: null,
          fault: 'reset-before',
          message: 'the connection was reset',
        })
        return `${status} ${fault} ${message}`
      },
    }),
  )

  test('a percentage applies at random, and the same seed repeats it', async () => {
    const draw = async (seed: string, fault: string): Promise<string> => {
      await using service = await openService({ way, seed })
      await addFault(service, fault)
      return await getStatuses(service, 40)
    }
    const half = 'get:status=503@50%'
    const [first, again, other] = [await draw('a', half), await draw('a', half), await draw('b', half)]
    const count = first.match(/503/g)?.length ?? 0
    expect([first === again, first === other, count > 10 && count < 30]).toEqual([true, false, true])
    expect(new Set((await draw('a', 'get:status=503@0%')).split(' '))).toEqual(new Set(['404']))
    expect(new Set((await draw('a', 'get:status=503@100%')).split(' '))).toEqual(new Set(['503']))
  })

  test('a fault can be set at the start, and a reset removes it', async () => {
    const fault = { operation: 'get', kind: 'html', frequency: { rate: 1 } } as const
    await using service = await openService({ way, faults: [fault] })
    expect(await getStatuses(service, 2)).toEqual('502 502')
    await service.mock('POST', '/reset')
    expect(await getStatuses(service, 1)).toEqual('404')
  })

  test('latency delays the request, not only its response', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await addFault(service, 'confirm:latency=2s')
    const response = confirm(service, id)
    await waitUntil(() => service.clock.sleepers.size === 1)
    service.clock.advance(1_999)
    await turnEventLoop()
    expect(await service.state(id)).toBe('created')
    service.clock.advance(1)
    expect(await response).toEqual(`${json} GOOD`)
  })
})

test.each<[string, number?, number?]>([
  ['2s', 2_000, 2_000],
  ['0', 0, 0],
  ['50ms..200ms', 50, 200],
  ['0..1m', 0, 60_000],
  ['1s..1s', 1_000, 1_000],
  ...['', '..', '1s..', '..1s', '2s..1s', '1s..2s..3s', '1s...2s'].map((source): [string] => [source]),
  ...['50-200ms', '50..200', ' 1s', '-1s'].map((source): [string] => [source]),
])('the latency %j is from %s to %s ms', (source, from, to) => {
  expect(parseLatency(source)).toEqual(from === undefined ? undefined : { from, to })
})

test('a drawn wait is a whole number within the range', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), chance, (from, length, drawn) => {
      const ms = drawLatency({ from, to: from + length }, () => drawn)
      expect(Number.isInteger(ms) && ms >= from && ms <= from + length).toBe(true)
    }),
  )
  expect([0, 0.9999].map((drawn) => drawLatency({ from: 1, to: 9 }, () => drawn))).toEqual([1, 9])
})
