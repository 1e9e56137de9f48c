// order-service.md 4 through the client: complete orders, deadlines and failures.
import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import type { DoneOutcome } from '../../src/client/outcome.ts'
import { jsonLimits, readJson, writeJson } from '../../src/contract/json.ts'
import { formatDecimal } from '../../src/contract/money/decimal.ts'
import { orderExample } from '../../src/contract/openapi/examples.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { apiOver, quickClock, request, responding } from '../support/client-api.ts'
import { line, startTime } from '../support/embedded.ts'
import { openApi, roads } from './roads.ts'

test('a call has its default deadline or the given one', () => {
  const { clock } = quickClock()
  const { transport } = responding({})
  const deadlines = (timeoutMs?: number) => {
    const api = createApi(transport, { clock, random: () => 0, timeoutMs })
    return (['create', 'confirm', 'get'] as const).map(api.timeoutMs)
  }
  expect(deadlines()).toEqual([45_000, 45_000, 30_000])
  expect(deadlines(7)).toEqual([7, 7, 7])
})

test('a call that is interrupted before it begins sends nothing', async () => {
  const { transport, seen } = responding({})
  const outcome = await apiOver(transport).confirm('x', { signal: AbortSignal.abort() })
  expect([outcome, seen]).toEqual([{ kind: 'not-sent', reason: 'interrupted' }, []])
})

test('get asks for a fresh response, and tells one from a cache or one that took long', async () => {
  const read = async (headers: Record<string, string>, ms = 0) => {
    const { clock } = quickClock()
    let now = 0
    const { transport, seen } = responding({
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(orderExample),
    })
    const slow: Transport = (sent) => {
      now += ms
      return transport(sent)
    }
    const api = createApi(slow, { clock: { ...clock, monotonic: () => now }, random: () => 0 })
    const { isOld = false, kind } = (await api.get(orderExample.data.uid)) as DoneOutcome<unknown>
    return [kind, isOld, seen[0]?.headers['cache-control']]
  }
  expect(await read({})).toEqual(['done', false, 'no-cache'])
  expect(await read({ age: '0' }, 30_000)).toEqual(['done', false, 'no-cache'])
  for (const age of ['1', '86400', 'old']) expect(await read({ age })).toEqual(['done', true, 'no-cache'])
  expect(await read({}, 30_001)).toEqual(['done', true, 'no-cache'])
})

test('a Failure is thrown, not returned as an outcome', async () => {
  const failure = new Failure('local-state', 'the disk is full')
  const { create, confirm, get } = apiOver(responding(failure).transport)
  await expect(create(request(['GAME-US']))).rejects.toBe(failure)
  await expect(confirm('x')).rejects.toBe(failure)
  await expect(get('x')).rejects.toBe(failure)
})

describe.each(roads)('the api %s', (_name, way) => {
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
})
