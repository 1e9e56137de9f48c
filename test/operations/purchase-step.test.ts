// What comes next for a reference, or for a slot of a batch: one table of its orders in the journal.
import { expect, test } from 'vitest'
import type { Call, Entry } from '../../src/journal/orders/entries.ts'
import { findPurchaseStep, type KnownOrder } from '../../src/operations/purchase-step.ts'

const expiresAt = 600_000
const call = { number: 7, operation: 'create', outcome: 'sending' } as Call

/** 'confirmed/failed in a batch': the standing, the result, and whether the order belongs to a batch. */
const parse = (text: string, index: number): KnownOrder => {
  const [words = '', batch] = text.split(' in ')
  const [standing, result] = words.split('/')
  const known = { placedAt: 0, createdAt: 0, expiresAt, request: '{}' }
  const entry = { number: 9 - index, standing, result, ...known } as Entry
  return {
    entry: batch === undefined ? entry : { ...entry, batch: 1, slot: 1 },
    create: standing === 'creating' && result === 'sending' ? call : undefined,
  }
}

// The orders, the newest first; what comes next for the reference; and for the slot, if it differs.
test.each([
  ['', 'create'],
  ['void, void', 'create'],
  ['creating', 'create'],
  ['creating/sending', 'wait 1'],
  ['void, creating/sending', 'wait 2'],
  ['pending', 'confirm 1'],
  ['creating/sending, pending', 'confirm 2'],
  ['confirming', 'settle 1'],
  ['doubtful', 'confirm 1'],
  ['pending, doubtful', 'confirm 2'],
  ['confirmed', 'collect 1'],
  ['confirmed/successful', 'done 1'],
  ['confirmed/partial', 'done 1'],
  ['confirmed/failed', 'done 1'],
  ['confirming, confirmed', 'collect 2'],
  ['pending, confirmed/failed', 'confirm 1'],
  ['confirming, confirmed/rejected', 'settle 1'],
  ['void in a batch', 'refused 1', 'create'],
  ['void, void in a batch', 'refused 2', 'create'],
  ['creating/sending in a batch', 'wait 1'],
  ['pending in a batch', 'confirm 1'],
  // The guard prevents a confirm of the other order, and this order's cards are not recorded yet.
  ['pending in a batch, confirmed/failed in a batch', 'done 2'],
])('%s: %s', (orders, ofReference, ofSlot = ofReference) => {
  const known = orders === '' ? [] : orders.split(', ').map(parse)
  const describe = (of: 'reference' | 'slot', serviceNow = expiresAt): string => {
    const step = findPurchaseStep(known, { of, now: 0, serviceNow })
    return 'entry' in step ? `${step.kind} ${10 - step.entry.number}` : step.kind
  }
  expect([describe('reference'), describe('slot')]).toEqual([ofReference, ofSlot])
})

test('a refused confirm is not repeated after the expiry', () => {
  const orders = [parse('doubtful', 0)]
  const kinds = [expiresAt + 2_000, expiresAt + 2_001].map(
    (serviceNow) => findPurchaseStep(orders, { of: 'slot', now: 0, serviceNow }).kind,
  )
  expect(kinds).toEqual(['confirm', 'settle'])
})
