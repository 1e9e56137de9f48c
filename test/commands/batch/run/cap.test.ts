// The cap of batch run: what the prompt says and offers, and a cap below the face value.
import { expect, test } from 'vitest'
import type { Situation } from '../../../support/in-process.ts'
import { openWorld } from '../../../support/world.ts'

const words = ['batch', 'run', '--product', 'GAME-US:25x3', '--wallet', 'USD', '--name', 'gifts']
const terminals = ['stdin', 'stdout', 'stderr'] as const
const warning =
  'warning: the cap of 10.00 USD is below the face value of 75.00 USD; the batch stops at the cap\n'

const runWith = async (answers: Situation['answers'], ...flags: string[]) => {
  const shop = await openWorld()
  return shop.atTerminal([...words, ...flags], { terminals: [...terminals], answers })
}

test('the prompt shows the face value, and Enter takes it', async () => {
  const { exit, stderr, questions } = await runWith(['', true])
  expect([exit, questions]).toEqual([
    0,
    ['Spend at most (USD) (75)', 'Buy 3 cards in 1 order and spend at most 75.00 USD?'],
  ])
  expect(stderr).toContain(
    'The face value is 75.00 USD. Exchange rates, fees and discounts change the\ntotal.\n',
  )
  expect(stderr).not.toContain('below the face value')
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('nothing is offered in another currency', async () => {
  const shop = await openWorld()
  const other = ['batch', 'run', '--product', 'FILM-AU:20', '--wallet', 'USD', '--name', 'gifts']
  const { stderr, questions } = await shop.atTerminal(other, {
    terminals: [...terminals],
    answers: [undefined],
  })
  expect(questions).toEqual(['Spend at most (USD)'])
  expect(stderr).toContain('The face value is 20.00 AUD.')
})

test('a cap below the face value is named before anything is bought', async () => {
  const refused = await runWith(['10', false])
  expect([refused.exit, refused.stderr.replaceAll('\n', ' ').includes(warning.trim())]).toEqual([130, true])
  expect(refused.stderr.split('\n').filter((line) => line.length > 80)).toEqual([])
  const shop = await openWorld()
  const stopped = await shop.run([...words, '--max-total', '10'])
  expect([stopped.exit, stopped.stderr.includes(warning)]).toEqual([13, true])
  const again = await shop.run([...words, '--max-total', '10'])
  expect([again.exit, again.stderr.includes('below the face value')]).toEqual([13, false])
})
