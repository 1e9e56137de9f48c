// Random histories of commands, faults, kills and clocks against the service's own log: orderctl never buys twice,
// never loses an order, and never shows a code. One history alone: MODEL_SEED=7 npm run test:all -- test/model/model.test.ts
import { test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { batchDefects } from './batches/planted.ts'
import { defects, readPlanted } from './planted.ts'
import { testHistories } from './play.ts'

/** Found within a hundred histories. */
const quickest = [
  'a 419 is believed without asking for the order',
  'a response that is behind decides what a watch says',
  'an order whose confirm may have spent is called unspent',
]

testHistories('an intention buys once, whatever happens', {
  player: new URL('share.ts', import.meta.url).href,
  count: isFullRun ? 20_000 : 40,
  least: { confirms: 1, kills: 0.02 },
  defects: isFullRun ? defects : defects.filter(({ name }) => quickest.includes(name)),
  defectSeeds: 20_000,
})

test('each defect can be planted', () => {
  for (const defect of [...defects, ...batchDefects]) readPlanted(defect)
})
