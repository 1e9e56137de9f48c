// The random tests of `npm test` and `npm run test:all` draw the same values each time. A full run draws new ones. A
// property that does not say how often it is checked is checked 25 times by `npm test`, and 100 times by the others.
import fc from 'fast-check'
import { isAllRun, isFullRun } from './cases.ts'

fc.configureGlobal({ numRuns: isAllRun ? 100 : 25, ...(isFullRun ? {} : { seed: 26 }) })
