// Random histories of commands, faults, kills and clocks against the service's own log: orderctl never buys twice,
// never loses an order, and never shows a code.
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { defects } from './planted.ts'
import { failureText, play } from './shares.ts'

/** One history alone: MODEL_SEED=7 npx vitest run test/model/model.test.ts */
const only = Number(process.env.MODEL_SEED) || undefined

const count = isFullRun ? 20_000 : 40

test('an intention buys once, whatever happens', { timeout: 7_200_000 }, async () => {
  const share = only === undefined ? { from: 1, count } : { from: only, count: 1 }
  const played = await play({ ...share, threads: isFullRun ? 2 : 1 })
  expect(failureText(played.failed)).toBe('')
  if (only !== undefined) return
  // Histories without purchases and kills would prove nothing.
  expect(played.confirms).toBeGreaterThan(count)
  expect(played.kills).toBeGreaterThan(count / 10)
  if (isFullRun) {
    const { commands, confirms, kills, perSecond } = played
    console.info(`${count} histories, ${Math.round(perSecond)} a second`)
    console.info(`${commands} commands, ${confirms} orders confirmed, ${kills} processes killed`)
  }
})

test.skipIf(only !== undefined).each(isFullRun ? defects : defects.slice(0, 1))(
  'a planted defect is found: $name',
  { timeout: 300_000 },
  async (defect) => {
    const { failed } = await play({ from: 1, count: 20_000, defect })
    expect(failureText(failed)).toContain(defect.found)
  },
)
