// Random histories of a batch of 60 rows: faults, kills, several processes at once, confirms by hand and the time between
// them. Exactly the wanted cards are bought, none twice, within the cap, and the batch can always be completed.
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { batchDefects } from './batches/planted.ts'
import { playBatches } from './batches/play-batches.ts'

/** One history alone: MODEL_SEED=7 npx vitest run test/model/batches.test.ts */
const only = Number(process.env.MODEL_SEED) || undefined

const count = isFullRun ? 4_000 : 24

test('a batch buys each card once, whatever happens', { timeout: 7_200_000 }, async () => {
  const share = only === undefined ? { from: 1, count } : { from: only, count: 1 }
  const played = await playBatches({ ...share, threads: isFullRun ? 2 : 1 })
  expect(played.problems).toEqual([])
  if (only !== undefined) return
  // Histories without purchases and kills would prove nothing.
  expect(played.confirms).toBeGreaterThan(count * 4)
  expect(played.kills).toBeGreaterThan(count / 4)
  if (isFullRun) {
    const { runs, confirms, kills } = played
    console.info(`${count} batches, ${runs} runs, ${confirms} orders confirmed, ${kills} processes killed`)
  }
})

test.skipIf(only !== undefined || !isFullRun).each(batchDefects)(
  'a planted defect is found: $name',
  { timeout: 1_200_000 },
  async (defect) => {
    const { problems } = await playBatches({ from: 1, count: 4_000, defect })
    expect(problems.join('\n')).toContain(defect.found)
  },
)
