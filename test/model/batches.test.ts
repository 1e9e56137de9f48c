// Random histories of a batch of 60 rows: faults, kills, several processes at once, confirms by hand and the time between
// them. Exactly the wanted cards are bought, none twice, within the cap, and the batch can always be completed. One history
// alone: MODEL_SEED=7 npm run test:all -- test/model/batches.test.ts
import { isFullRun } from '../support/cases.ts'
import { batchDefects } from './batches/planted.ts'
import { testHistories } from './play.ts'

testHistories('a batch buys each card once, whatever happens', {
  player: new URL('batches/share-batches.ts', import.meta.url).href,
  count: isFullRun ? 4_000 : 24,
  least: { confirms: 4, kills: 0.25 },
  defects: isFullRun ? batchDefects : [],
  defectSeeds: 4_000,
})
