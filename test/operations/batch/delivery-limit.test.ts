// How many orders of a batch may wait for their cards.
import { expect, test } from 'vitest'
import { createDeliveryLimit } from '../../../src/batch/buy/batch-run.ts'

test('the limit doubles when as many orders have become successful, up to 500', () => {
  const deliveries = createDeliveryLimit()
  const limits = Array.from({ length: 1_100 }, () => {
    deliveries.record(true)
    return deliveries.limit()
  })
  expect([14, 15, 46, 47, 1_099].map((index) => limits[index])).toEqual([16, 32, 32, 64, 500])
})

test('a failed order halves it, and successes count anew', () => {
  const deliveries = createDeliveryLimit()
  for (let count = 0; count < 15; count += 1) deliveries.record(true)
  deliveries.record(false)
  expect(deliveries.limit()).toBe(8)
  for (let count = 0; count < 7; count += 1) deliveries.record(true)
  expect(deliveries.limit()).toBe(8)
  deliveries.record(true)
  expect(deliveries.limit()).toBe(16)
  for (let count = 0; count < 9; count += 1) deliveries.record(false)
  expect(deliveries.limit()).toBe(1)
})
