// The same histories with the built executable as real processes, SIGKILL and a real socket.
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { failureText, play } from './shares.ts'

/** One history alone: MODEL_SEED=7 npx vitest run test/model/processes.test.ts */
const only = Number(process.env.MODEL_SEED) || undefined

const count = isFullRun ? 1_000 : 2
/** In a short run, histories in which processes are killed. */
const from = isFullRun ? 1 : 20

test('an intention buys once, whatever happens to real processes', { timeout: 7_200_000 }, async () => {
  const share = only === undefined ? { from, count } : { from: only, count: 1 }
  const played = await play({ ...share, threads: isFullRun ? 2 : 1, isReal: true })
  expect(failureText(played.failed)).toBe('')
  if (only !== undefined) return
  expect(played.confirms).toBeGreaterThanOrEqual(count)
  if (isFullRun) {
    // Kills after a time depend on the speed of the machine, so two histories may have none.
    expect(played.kills).toBeGreaterThan(count / 10)
    const { commands, confirms, kills } = played
    console.info(`${count} histories of real processes`)
    console.info(`${commands} commands, ${confirms} orders confirmed, ${kills} processes killed`)
  }
})
