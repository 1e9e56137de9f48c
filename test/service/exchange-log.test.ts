// The log of exchanges is bounded, whatever is sent.
import { expect, test } from 'vitest'
import { createExchangeLog, describeExchange } from '../../src/service/exchange-log.ts'

const entry = { at: 1, method: 'POST', path: '/order/create', status: 200, ms: 2 }
const requestOf = (body: string | Uint8Array) => ({
  method: 'POST',
  path: '/order/create',
  headers: { host: 'x' },
  body,
})
const answerOf = (body: string | Uint8Array) => ({ status: 200, headers: {}, body })
const idsOf = (log: ReturnType<typeof createExchangeLog>, after = 0) =>
  log.listAfter(after).map(({ id }) => id)

test('it keeps the newest, and lists what is newer than an id', () => {
  const log = createExchangeLog({ exchanges: 3, bodySize: 10 })
  expect([idsOf(log), log.oldestId()]).toEqual([[], 1])
  for (let count = 1; count <= 5; count += 1) log.record(entry, requestOf('a'), answerOf('b'))
  expect([idsOf(log), idsOf(log, 4), idsOf(log, 5)]).toEqual([[3, 4, 5], [5], []])
  expect([log.oldestId(), log.find(2), log.find(5)?.id]).toEqual([3, undefined, 5])
})

test('after clear it is empty, and the ids go on', () => {
  const log = createExchangeLog({ exchanges: 3, bodySize: 10 })
  for (let count = 1; count <= 5; count += 1) log.record(entry, requestOf('123'), undefined)
  log.clear()
  expect([idsOf(log), log.oldestId()]).toEqual([[], 6])
  log.record(entry, requestOf('0123456789'), undefined)
  expect(idsOf(log)).toEqual([6])
})

test('it cuts a body, and keeps no reference to the rest', () => {
  const log = createExchangeLog({ exchanges: 3, bodySize: 4 })
  // A Buffer, as Node gives it: its slice() is a view.
  const bytes = Buffer.alloc(1_000, 65)
  log.record(entry, requestOf(bytes), answerOf('ä'.repeat(1_000)))
  const kept = log.find(1)?.request.body.content as Uint8Array
  expect([kept.length, kept.buffer.byteLength]).toEqual([4, 4])
  expect(describeExchange(log.find(1) ?? expect.fail())).toMatchObject({
    request: { body: { text: 'AAAA', size: 1_000, isCut: true } },
    response: { body: { text: 'ääää', size: 1_000, isCut: true } },
  })
})

test('bytes that are no text are shown as base64, and a character that was cut is left out', () => {
  const log = createExchangeLog({ exchanges: 3, bodySize: 4 })
  log.record(entry, requestOf(Uint8Array.of(255, 254)), answerOf(new TextEncoder().encode('abc€')))
  expect(describeExchange(log.find(1) ?? expect.fail())).toMatchObject({
    request: { body: { base64: '//4=', size: 2, isCut: false } },
    response: { body: { text: 'abc', size: 6, isCut: true } },
  })
})
