// Calls through the client: deadlines, failures, and whether a response is fresh.
import { expect, test } from 'vitest'
import { createApi, type DoneOutcome } from '../../src/client/api.ts'
import { orderExample } from '../../src/contract/openapi/examples.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { apiOver, quickClock, request, responding } from '../support/client-api.ts'

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
