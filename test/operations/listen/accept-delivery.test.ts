// Whether the order of a delivery is checked again although the delivery was received before.
import { expect, test } from 'vitest'
import type { ReceivedTable } from '../../../src/journal/received.ts'
import { createAcceptor } from '../../../src/operations/listen/accept-delivery.ts'

/** What the journal has of the delivery. */
type Recorded = { readonly receipt: string; readonly isChecked: boolean; readonly shown?: string | undefined }

const createTestAcceptor = ({ receipt, isChecked, shown }: Recorded) =>
  createAcceptor({
    received: {
      findOwnIds: async () => ['ord_1'],
      recordDelivery: async () => ({ number: 1, receipt, isChecked, state: shown }),
    } as unknown as ReceivedTable,
    ...{
      account: { address: 'shop.example' },
      newId: () => 'second',
      outbox: undefined,
      isFull: () => false,
    },
  })

const accept = (named: string, recorded: Recorded) =>
  createTestAcceptor(recorded).accept({
    headers: [],
    body: Buffer.from(JSON.stringify({ uid: 'ord_1', state: named })),
    at: 0,
  })

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
    const recorded = { receipt: 'first', isChecked: shown !== undefined, shown }
    expect(await accept(named, recorded)).toMatchObject({ kind: 'duplicate', needsCheck })
  },
)

test('a new delivery needs a check', async () => {
  const recorded = { receipt: 'second', isChecked: false }
  expect(await accept('confirmed', recorded)).toMatchObject({ kind: 'accepted', needsCheck: true })
})

test.each([
  [false, true],
  [true, false],
])('a delivery that an earlier process has checked: %s, needs a check: %s', async (isChecked, needsCheck) => {
  const { recordSpooled } = createTestAcceptor({ receipt: 'first', isChecked })
  const facts = { receipt: 'first', orderId: 'ord_1', deliveryId: undefined, state: 'successful' }
  const accepted = await recordSpooled({ ...facts, path: '', bytes: 0, at: 0 })
  expect(accepted).toMatchObject({ kind: 'accepted', needsCheck })
})

test('a delivery that only mentions an order of the journal is about this order', async () => {
  const { accept } = createTestAcceptor({ receipt: 'second', isChecked: false })
  const body = Buffer.from(JSON.stringify({ data: { text: 'ord_1' } }))
  expect(await accept({ headers: [], body, at: 0 })).toMatchObject({ orderId: 'ord_1', isOwn: true })
})
