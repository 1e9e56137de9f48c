// Random histories of a batch: whatever happens in whatever order, no slot and no card is bought twice.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkAsyncProperty } from '../../fuzz/runs.ts'
import { journalKinds } from '../journals.ts'
import { type Action, actionWeights, openHistory, type Step } from './history.ts'

const action: fc.Arbitrary<Action> = fc.oneof(
  ...Object.entries(actionWeights).map(([name, weight]) => ({
    ...{ weight, arbitrary: fc.constant(name as Action) },
  })),
)
const step: fc.Arbitrary<Step> = fc.tuple(action, fc.nat(1_000), fc.nat(1_000))

test.each(journalKinds)(
  'on $name, at most one order of a slot is, or may be, bought, and no card twice',
  async (kind) => {
    const seen = new Set<string>()
    const steps = fc.array(step, { minLength: 20, maxLength: 120, size: 'max' })
    const property = fc.asyncProperty(steps, async (all) => {
      const { journal, close } = await kind.open()
      try {
        const history = await openHistory(journal)
        for (const each of all) {
          await history.step(each)
          if (each[0] === 'confirm') expect(await history.findDefects()).toEqual([])
        }
        for (const each of history.seen) seen.add(each)
      } finally {
        await close()
      }
    })
    // A statement of PostgreSQL takes a hundred times as long.
    const isFast = kind.name === 'SQLite'
    await checkAsyncProperty(property, { walk: 0, quick: isFast ? 60 : 8, full: isFast ? 20_000 : 200 })
    if (!isFast) return
    // Every answer of the guard occurred.
    expect([...seen].toSorted()).toEqual([
      ...['confirm cancelled', 'confirm changed', 'confirm confirmed', 'confirm open', 'confirm slot-taken'],
      ...['confirm started', 'create cancelled', 'create changed', 'create slot-taken', 'create started'],
    ])
  },
)
