// The queue gives items by their time, like a sorted list.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDueQueue } from '../../../src/operations/batch/due-queue.ts'

test('items come in the sequence of their times, and none before it is due', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ now: fc.nat(60) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const queue = createDueQueue<number>()
      let sorted: number[] = []
      for (const each of steps) {
        if ('add' in each) {
          queue.add(each.add, each.add)
          sorted = [...sorted, each.add].toSorted((a, b) => a - b)
        } else {
          const [first = Number.POSITIVE_INFINITY] = sorted
          expect(queue.takeDue(each.now)).toBe(first <= each.now ? sorted.shift() : undefined)
        }
        expect(queue.nextAt()).toBe(sorted[0])
      }
    }),
  )
})
