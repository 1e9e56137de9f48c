// order-service.md 4 through the client: complete orders, each refusal of order-service.md 7, and each fault.
import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { formatDecimal } from '../../src/contract/decimal.ts'
import { jsonLimits, readJson, writeJson } from '../../src/contract/json.ts'
import { Failure } from '../../src/errors.ts'
import { answering, apiOver, quickClock, request } from '../support/client-api.ts'
import { line, startTime } from '../support/embedded.ts'
import { brief, openApi, roads } from './roads.ts'

test('a call has its default deadline or the given one', () => {
  const { clock } = quickClock()
  const { transport } = answering({})
  const deadlines = (timeoutMs?: number) => {
    const api = createApi(transport, { clock, random: () => 0, timeoutMs })
    return (['create', 'confirm', 'get'] as const).map(api.timeoutMs)
  }
  expect(deadlines()).toEqual([45_000, 45_000, 30_000])
  expect(deadlines(7)).toEqual([7, 7, 7])
})

test('a call that is interrupted before it begins sends nothing', async () => {
  const { transport, seen } = answering({})
  const { create, confirm, get } = apiOver(transport)
  const given = { signal: AbortSignal.abort() }
  const outcomes = [
    await create(request(['GAME-US']), given),
    await confirm('x', given),
    await get('x', given),
  ]
  expect(outcomes).toEqual(Array(3).fill({ kind: 'not-sent', reason: 'interrupted' }))
  expect(seen).toEqual([])
})

test('a Failure is thrown, not returned as an outcome', async () => {
  const failure = new Failure('local-state', 'the disk is full')
  const { create, confirm, get } = apiOver(answering(failure).transport)
  await expect(create(request(['GAME-US']))).rejects.toBe(failure)
  await expect(confirm('x')).rejects.toBe(failure)
  await expect(get('x')).rejects.toBe(failure)
})

describe.each(roads)('the api %s', (name, way) => {
  test('creates, confirms and retrieves an order, its decimals exact', async () => {
    const { service, api, seen } = await openApi({ way })
    await using _ = service
    const created = await api.create(request([line('GAME-DE', { quantity: 2 })], { reference: 'r 1' }))
    if (created.kind !== 'done') throw new Error(JSON.stringify(created))
    expect(formatDecimal(created.data.invoice.total)).toBe('44.45')
    expect([created.message, created.data.expiresAt]).toEqual(['Order created.', startTime + 600_000])
    const { id } = created.data

    const confirmed = await api.confirm(id)
    expect(confirmed).toMatchObject({ kind: 'done', data: { id, state: 'confirmed' } })
    service.clock.advance(2_000)
    const got = await api.get(id)
    if (got.kind !== 'done') throw new Error(JSON.stringify(got))
    expect(got.data).toMatchObject({ uid: id, state: 'successful', reference: 'r 1' })
    expect([...(got.data.redeem?.keys() ?? [])]).toEqual(['GAME-DE'])
    // What was read can be written as it came.
    const { text } = await service.get(id)
    expect(readJson(writeJson(got.data))).toEqual((readJson(text, jsonLimits) as { data: unknown }).data)
    expect(seen).toEqual(['POST', 'PUT', 'GET', 'GET'])
    const dates = [created, confirmed, got].map(({ serverTime }) => typeof serverTime)
    expect(dates).toEqual(['number', 'number', 'number'])
  })

  type Row = [fault: string, create: string, confirm: string, get: string, gets: number]
  const same = (outcome: string): [string, string, string] => [outcome, outcome, outcome]
  const cut = name === 'in process' ? 'unknown 200' : 'unknown'
  const noFunds = 'You have insufficient funds in your wallet to create this order'
  test.each<Row>([
    ['status=503', ...same('unknown 503'), 3],
    ['status=500', ...same('unknown 500'), 3],
    ['status=500,{"message":"Unexpected server error."}', ...same('unknown 500'), 3],
    ['status=500,{"message":"Server problem; retry later."}', ...same('unknown 500'), 3],
    [
      'status=500,{"message":"Requested item is out of stock"}',
      'refused 500 out-of-stock',
      'unknown 500',
      'unknown 500',
      3,
    ],
    [
      `status=400,{"error":{"message":"${noFunds}"}}`,
      'refused 400 insufficient-funds',
      'refused 400 insufficient-funds',
      'refused 400 invalid-order-id',
      1,
    ],
    [
      'status=400,{"message":"Who knows"}',
      'refused 400 -',
      'refused 400 -',
      'refused 400 invalid-order-id',
      1,
    ],
    ['status=400,{"message":"Who', 'refused 400 -', 'refused 400 -', 'unknown 400', 1],
    ['status=401,', ...same('refused 401 credentials'), 1],
    ['status=403,', ...same('refused 403 credentials'), 1],
    [
      'status=404,',
      'refused 404 product-not-found',
      'refused 404 not-pending',
      'refused 404 order-not-found',
      1,
    ],
    ['status=419,{"message":"Expired"}', 'unknown 419', 'refused 419 expired', 'unknown 419', 1],
    ['status=409,{"message":"Conflict"}', ...same('unknown 409'), 1],
    ['status=405,', 'refused 405 -', 'refused 405 -', 'unknown 405', 1],
    ['status=429,', 'refused 429 -', 'refused 429 -', 'unknown 429', 3],
    ['status=418,', ...same('unknown 418'), 1],
    ['status=204,', ...same('unknown 204'), 1],
    ['status=200,', ...same('unknown 200'), 1],
    ['status=200,{}', ...same('unknown 200'), 1],
    ['latency=0', 'done', 'done', 'done', 1],
    ['reset-before', ...same('unknown'), 3],
    ['reset-after', ...same('unknown'), 3],
    ['empty', ...same('unknown'), 3],
    ['truncate', ...same(cut), name === 'in process' ? 1 : 3],
    ['bad-json', ...same('unknown 200'), 1],
    ['garbage', ...same('unknown 200'), 1],
    ['html', ...same('unknown 502'), 3],
    ['content-type', 'done', 'done', 'done', 1],
    ['redirect', ...same('unknown 307'), 1],
  ])('after %s says %s, %s and %s; get asks %i times', async (fault, create, confirm, get, gets) => {
    const { service, api, seen } = await openApi({ way })
    await using _ = service
    const id = await service.created(['GAME-US'])
    const times = fault.includes('"') || fault.endsWith(',') || fault.endsWith('{}') ? 1 : 3
    for (const operation of ['create', 'confirm', 'get']) {
      for (let turn = 0; turn < 3 / times; turn += 1) {
        await service.mock('POST', '/faults', { fault: `${operation}:${fault}x${times}` })
      }
    }
    seen.length = 0
    const outcomes = [await api.create(request(['GAME-US'])), await api.confirm(id), await api.get(id)]
    expect(outcomes.map(brief)).toEqual([create, confirm, get])
    expect(seen).toEqual(['POST', 'PUT', ...Array(gets).fill('GET')])
  })
})
