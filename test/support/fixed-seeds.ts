// The random tests of `npm test` and `npm run test:all` draw the same values each time. A full run draws new ones.
import fc from 'fast-check'
import { isFullRun } from './cases.ts'

if (!isFullRun) fc.configureGlobal({ seed: 26 })
