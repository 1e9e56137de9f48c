// src/contract/refusals.ts
import { expect, test } from 'vitest'
import {
  findAdvice,
  isRefusedBeforeActing,
  type Operation,
  type RefusalKind,
  recogniseRefusal,
  refusals,
  type ServiceRefusal,
} from '../../src/contract/refusals.ts'

type Row = [operation: Operation, status: number, message: string, kind: RefusalKind]

const noFunds = 'You have insufficient funds in your wallet to create this order'

// order-service.md 7. Verbatim messages are quoted from it.
const verbatim: Row[] = [
  ['create', 400, 'Requested product list is bigger than allowed', 'list-too-big'],
  ['create', 400, 'Your product list is not formatted well', 'list-malformed'],
  ['create', 400, "The entered quote doesn't match the SKU.", 'quote-mismatch'],
  ['create', 400, 'The entered quote is not in range', 'quote-out-of-range'],
  ['create', 400, noFunds, 'insufficient-funds'],
  ['create', 404, 'One or more product in the sent list are not found.', 'product-not-found'],
  ['create', 500, 'Your requested exchange is not supported', 'exchange-unsupported'],
  ['create', 500, 'Requested item is out of stock', 'out-of-stock'],
  ['confirm', 400, noFunds, 'insufficient-funds'],
  ['confirm', 404, 'Not Found', 'not-pending'],
  ['confirm', 419, 'Expired', 'expired'],
]

const meant: Row[] = [
  ['create', 403, 'Credentials missing or invalid.', 'credentials'],
  ['create', 500, 'Unexpected server error.', 'server-error'],
  ['confirm', 400, 'Request body has no valid `orderId`.', 'invalid-order-id'],
  ['confirm', 500, 'Server problem; retry later.', 'server-problem'],
]

const ours: Row[] = [
  ['create', 400, 'The request body is not valid', 'bad-request'],
  ['confirm', 403, 'Credentials missing or invalid.', 'credentials'],
  ['get', 400, 'Request body has no valid `orderId`.', 'invalid-order-id'],
  ['get', 403, 'Credentials missing or invalid.', 'credentials'],
  ['get', 404, 'Not Found', 'order-not-found'],
  ['get', 500, 'Unexpected server error.', 'server-error'],
]

const rows = [...verbatim, ...meant, ...ours]

test.each(rows)(
  '%s responded %i "%s" is %s, with and without a full stop, in any case',
  (operation, status, message, kind) => {
    const bare = message.replace(/\.$/, '')
    for (const text of [message, bare, `${bare}.`, ` ${bare} `, bare.toUpperCase()])
      expect(recogniseRefusal(operation, status, text)).toBe(kind)
  },
)

test('the table has the refusals of order-service.md 7 and those listed here', () => {
  const own = Object.entries<ServiceRefusal>(refusals).flatMap(([kind, { operations, status, message }]) =>
    operations.map((operation) => [operation, status, message, kind]),
  )
  expect(own.toSorted()).toEqual(rows.toSorted())
})

test('a message is verbatim if the document quotes it', () => {
  const kinds = Object.entries<ServiceRefusal>(refusals).filter(([, refusal]) => refusal.isVerbatim)
  expect(kinds.map(([kind]) => kind).sort()).toEqual(
    [...new Set(verbatim.map(([, , , kind]) => kind))].sort(),
  )
})

test.each<[Operation, number, string, RefusalKind]>([
  ['create', 403, 'Forbidden', 'credentials'],
  ['get', 403, '', 'credentials'],
  ['create', 404, 'Gone fishing', 'product-not-found'],
  ['confirm', 404, '', 'not-pending'],
  ['confirm', 419, 'Order is expired', 'expired'],
  ['get', 400, 'orderId must be a string', 'invalid-order-id'],
])(
  '%s responded %i "%s" is known by its status, which stands for one thing alone',
  (operation, status, text, kind) => {
    expect(recogniseRefusal(operation, status, text)).toBe(kind)
  },
)

test.each<[Operation, number, string]>([
  ['create', 400, 'Something new'],
  ['create', 400, ''],
  ['confirm', 400, 'Something new'],
  ['create', 500, ''],
  ['create', 500, 'Internal Server Error'],
  ['confirm', 500, 'Internal Server Error'],
  ['get', 500, 'Internal Server Error'],
  ['create', 502, 'Unexpected server error.'],
  ['create', 200, 'Requested item is out of stock'],
  ['get', 419, 'Expired'],
])('%s responded %i "%s" is no documented refusal', (operation, status, text) => {
  expect(recogniseRefusal(operation, status, text)).toBeUndefined()
})

const everyStatus = Array.from({ length: 500 }, (_, index) => 100 + index)
const undocumented = [405, 413, 415, 421, 426, 429, 431]

test('only these statuses are sent before the server acts', () => {
  expect(everyStatus.filter(isRefusedBeforeActing)).toEqual([400, 401, 403, ...undocumented])
})

test('an undocumented refusal has its own advice, and only 429 is retryable', () => {
  const advised = everyStatus.filter((status) => findAdvice(undefined, status) !== undefined)
  expect(advised.map((status) => [status, findAdvice(undefined, status)?.advice])).toEqual([
    [405, 'Check the base URL: this server does not accept orders there.'],
    [413, 'Make the order smaller, or its reference shorter.'],
    [415, 'Check the base URL: this server does not accept JSON there.'],
    [421, 'Check the base URL: a different server responded.'],
    [426, 'Check whether the base URL must begin with https://.'],
    [429, 'Wait a minute, then run it again.'],
    [431, 'Check the key: the request headers are too large.'],
  ])
  expect(advised.filter((status) => findAdvice(undefined, status)?.retryable)).toEqual([429])
})

test('a documented refusal has the advice of the table with any status', () => {
  const { advice, retryable } = refusals.credentials
  expect(findAdvice('credentials', 429)).toEqual({ advice, retryable })
})
