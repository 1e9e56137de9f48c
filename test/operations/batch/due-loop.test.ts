// The queue gives items by their time, like a sorted list.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDueQueue } from '../../../src/operations/batch/due-loop.ts'

test('items come in the sequence of their times, and none before it is due', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ now: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ advance: fc.nat(20), to: fc.nat(50) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const queue = createDueQueue<number>()
      const times = new Map<number, number>()
      const earliest = (): number => Math.min(...times.values())
      let added = 0
      for (const each of steps) {
        if ('add' in each) {
          queue.add(each.add, added)
          times.set(added, each.add)
          added += 1
        } else if ('advance' in each) {
          const { advance, to } = each
          queue.advance(advance, to)
          const before = times.get(advance)
          if (before !== undefined) times.set(advance, Math.min(before, to))
        } else {
          const first = earliest()
          const taken = queue.takeDue(each.now)
          expect(taken === undefined ? undefined : times.get(taken)).toBe(
            first <= each.now ? first : undefined,
          )
          if (taken !== undefined) times.delete(taken)
        }
        expect(queue.nextAt()).toBe(times.size === 0 ? undefined : earliest())
      }
    }),
  )
})
