// batch show --watch on a terminal. meanwhile.session has what it follows.
import { expect, test } from 'vitest'
import { createManualClock } from '../support/manual-clock.ts'
import { openFilled } from './filled-journal.ts'

test('redraws the progress, and leaves nothing of it', async () => {
  const { shop, deliver } = await openFilled()
  // Loads the command.
  await shop.must('batch', 'show', 'orders')
  const clock = createManualClock(Date.now())
  const env = { COLUMNS: '100', LANG: 'C' }
  const running = shop.atTerminal(['batch', 'show', 'orders', '--watch'], { clock, env })
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  await pass(1_000)
  await deliver(1, 2)
  await pass(3_000)
  await deliver(3, 4)
  await pass(3_000)
  const { exit, writes, stderr } = await running
  expect(exit).toBe(0)
  const heads = writes.stderr.flatMap((text) => /[#-]+\norders: .*cards delivered/.exec(text)?.[0] ?? [])
  expect(heads).toEqual([
    `${'-'.repeat(40)}\norders: 0 of 4 cards delivered`,
    `${'#'.repeat(20)}${'-'.repeat(20)}\norders: 2 of 4 cards delivered`,
  ])
  expect(
    stderr.endsWith(
      '\u001b[2A\r\u001b[JCodes are hidden. Write them to a file: orderctl batch export orders orders-codes.csv\n',
    ),
  ).toBe(true)
})
