// The invariants hold after random steps of several clients.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openEmbedded } from '../../src/service/embedded.ts'
import { isAllRun } from '../support/cases.ts'
import { apiKey, callsOver, countingClock } from '../support/embedded.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { scarce } from '../support/scarce.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { openModel, stepsOf } from './service-model.ts'

/** Opens `count` services with one state and one clock. */
const openServices = (stateFile: string, count: number) => {
  const clock = countingClock('one')
  const services = Array.from({ length: count }, (_, index) => {
    const ownClock = { ...clock, newId: countingClock(`of-${index}`).newId }
    return openEmbedded({ clock: ownClock, catalogue: scarce, stateFile, seed: 'model', apiKey })
  })
  return {
    clock,
    clients: services.map(({ transport }) => callsOver(transport)),
    [Symbol.dispose]: () => {
      for (const service of services) service.close()
    },
  }
}

test('in memory, the orders and the wallet balances add up', async () => {
  const property = fc.asyncProperty(stepsOf(40), async (turns) => {
    using services = openServices(':memory:', 1)
    const model = openModel(services)
    for (const { step, client } of turns) {
      await model.take(step, client)
      await model.audit(client)
    }
  })
  await fc.assert(property, { numRuns: isAllRun ? 150 : 30 })
})

test('two services on one file keep the invariants', async () => {
  const property = fc.asyncProperty(stepsOf(40), async (turns) => {
    using scratch = openScratch()
    using services = openServices(scratch.file, 2)
    const model = openModel(services)
    for (const { step, client } of turns) {
      await model.take(step, client)
      expect(readDatabase(scratch.file, brokenInvariants)).toEqual([])
    }
    await model.audit(0)
    await model.audit(1)
  })
  await fc.assert(property, { numRuns: isAllRun ? 40 : 8 })
})
