// Whether the order of a delivery is checked again although the delivery was received before.
import { expect, test } from 'vitest'
import type { ReceivedTable } from '../../../src/journal/received/received.ts'
import { createAcceptor } from '../../../src/operations/listen/accept-delivery.ts'

const accept = (named: string, { receipt = 'first', shown = undefined as string | undefined } = {}) =>
  createAcceptor({
    received: {
      findOwnIds: async () => ['ord_1'],
      recordDelivery: async () => ({ number: 1, receipt, state: shown }),
    } as unknown as ReceivedTable,
    ...{
      account: { address: 'shop.example' },
      newId: () => 'second',
      outbox: undefined,
      isFull: () => false,
    },
  }).accept({ headers: [], body: Buffer.from(JSON.stringify({ uid: 'ord_1', state: named })), at: 0 })

test.each([
  ['successful', 'processing', true],
  ['successful', undefined, true],
  ['successful', 'successful', false],
  ['failed', 'successful', false],
  ['confirmed', 'confirmed', false],
  ['confirmed', undefined, false],
])(
  'a duplicate that names %s, of an order that was %s, needs a check: %s',
  async (named, shown, needsCheck) => {
    expect(await accept(named, { shown })).toMatchObject({ kind: 'duplicate', needsCheck })
  },
)

test('a new delivery needs a check', async () => {
  expect(await accept('confirmed', { receipt: 'second' })).toMatchObject({
    kind: 'accepted',
    needsCheck: true,
  })
})
