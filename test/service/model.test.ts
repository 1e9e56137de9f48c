// Anything, in any order, by several clients: the invariants hold after each step.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openEmbedded } from '../../src/service/embedded.ts'
import { apiKey, callsOver, countingClock } from '../support/embedded.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { looking, openScratch } from '../support/scratch.ts'
import { openModel, scarce, stepsOf } from '../support/service-model.ts'

/** So many services on one state, under one clock. */
const world = (stateFile: string, count: number) => {
  const clock = countingClock('one')
  const services = Array.from({ length: count }, (_, at) => {
    const own = { ...clock, newId: countingClock(`of-${at}`).newId }
    return openEmbedded({ clock: own, catalogue: scarce, stateFile, seed: 'model', apiKey })
  })
  return {
    clock,
    clients: services.map(({ transport }) => callsOver(transport)),
    [Symbol.dispose]: () => {
      for (const service of services) service.close()
    },
  }
}

test('in memory, what the orders say adds up to what the wallets hold', { timeout: 60_000 }, async () => {
  const property = fc.asyncProperty(stepsOf(40), async (turns) => {
    using all = world(':memory:', 1)
    const model = openModel(all)
    for (const { step, client } of turns) {
      await model.take(step, client)
      await model.audit(client)
    }
  })
  await fc.assert(property, { numRuns: 150 })
})

test('on one file, two services break nothing between them', { timeout: 60_000 }, async () => {
  const property = fc.asyncProperty(stepsOf(40), async (turns) => {
    using scratch = openScratch()
    using all = world(scratch.file, 2)
    const model = openModel(all)
    for (const { step, client } of turns) {
      await model.take(step, client)
      expect(looking(scratch.file, brokenInvariants)).toEqual([])
    }
    await model.audit(0)
    await model.audit(1)
  })
  await fc.assert(property, { numRuns: 40 })
})
