// How often a property is tried, and from which seed: the same each time, and printed with what failed.
import * as fc from 'fast-check'
import { isFullRun } from '../support/cases.ts'

// Another one is another walk through the same cases.
const seed = Number(process.env.FUZZ_SEED) || 20_261

type Runs = { readonly quick: number; readonly full: number }

const runsOf = ({ quick, full }: Runs): number => (isFullRun ? full : quick)

/** A failure names the seed and the path to the smallest case. */
export const checkProperty = <Values>(property: fc.IProperty<Values>, runs: Runs): void =>
  fc.assert(property, { seed, numRuns: runsOf(runs) })

/** Shrinking is as slow as the runs are: it stops after a while. Each `walk` is another one. */
export const checkAsyncProperty = <Values>(
  property: fc.IAsyncProperty<Values>,
  { walk, ...runs }: Runs & { readonly walk: number },
): Promise<void> =>
  fc.assert(property, { seed: seed + walk, numRuns: runsOf(runs), interruptAfterTimeLimit: 1_500_000 })
