// batch export to .html: Ctrl-C while the sheets are written. file.session shows the sheets.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

test('Ctrl-C while the sheets are written leaves no file', async () => {
  // Each look at the clock takes long enough for a pause.
  let passedMs = 0
  const shop = await openWorld({
    passed: () => {
      passedMs += 100
      return passedMs
    },
  })
  const { home, clock, must, run } = shop
  const flags = ['--wallet', 'USD', '--name', 'gifts', '--max-total', '500', '-q']
  await must('batch', 'run', '--product', 'GAME-US:25x3', ...flags)
  const stop = new AbortController()
  const file = path.join(home, 'cards.html')
  // Ctrl-C comes in the first pause.
  const stopping = {
    ...clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms > 0) return clock.sleep(ms, signal)
      stop.abort('SIGINT')
    },
  }
  const ran = await run(['batch', 'export', 'gifts', file], { clock: stopping, interrupted: stop.signal })
  expect(ran).toMatchObject({ exit: 130, stderr: 'Interrupted; no file was written\n' })
  expect(existsSync(file)).toBe(false)
})
