// How often a property is checked, and with which seed. A failure prints both.
import * as fc from 'fast-check'
import { isAllRun, isFullRun } from '../support/cases.ts'

// Another seed tries other cases.
const seed = Number(process.env.FUZZ_SEED) || 20_261

type Runs = { readonly quick: number; readonly full: number }

/** `npm test` checks a third of what `npm run test:all` checks. */
const runsOf = ({ quick, full }: Runs): number => (isFullRun ? full : isAllRun ? quick : Math.ceil(quick / 3))

/** Checks a property. A failure prints the seed and the path to the smallest case. */
export const checkProperty = <Values>(property: fc.IProperty<Values>, runs: Runs): void =>
  fc.assert(property, { seed, numRuns: runsOf(runs) })

/** Checks a slow property. Shrinking stops after a time limit. Each `walk` uses another seed. */
export const checkAsyncProperty = <Values>(
  property: fc.IAsyncProperty<Values>,
  { walk, ...runs }: Runs & { readonly walk: number },
): Promise<void> =>
  fc.assert(property, { seed: seed + walk, numRuns: runsOf(runs), interruptAfterTimeLimit: 1_500_000 })
