// batch plan and batch run name equal rows, because a row that was pasted twice is bought twice.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

const header = 'sku,quote,name\n'
const equal = `${header}GAME-US,25,Ann\nGAME-US,25,Ann\nGAME-US,25,Bo\nGAME-US,25,Cy\nGAME-US,25,Bo\nGAME-US,25,Bo\n`
const notes = 'Lines 2 and 3 are equal; both are bought\nLines 4, 6, 7 are equal; all are bought\n'

test('batch plan and the first batch run name them', async () => {
  const shop = await openWorld()
  const file = shop.file(equal, 'rows.csv')
  const flags = ['--wallet', 'USD', '--name', 'gifts']
  const planned = await shop.run(['batch', 'plan', file, ...flags])
  expect([planned.exit, planned.stderr]).toEqual([
    0,
    `${notes}Nothing was sent. Buy the batch: orderctl batch run gifts --max-total 150\n`,
  ])
  const run = ['batch', 'run', file, ...flags, '--max-total', '500']
  expect((await shop.run(run)).stderr).toContain(notes)
  const again = await shop.run(run)
  expect(again.stderr).toContain('Continuing the batch gifts\n')
  expect(again.stderr).not.toContain('equal')
})

test('they are named up to 5 times, and not with -q or without a repetition', async () => {
  const shop = await openWorld()
  const names = Array.from({ length: 7 }, (_, index) => `GAME-US,25,person-${index}\n`)
  const file = shop.file(`${header}${[...names, ...names].join('')}`, 'rows.csv')
  const plan = ['batch', 'plan', file, '--wallet', 'USD', '--name', 'gifts']
  const { stderr } = await shop.run(plan)
  expect(stderr.match(/are equal/g)).toHaveLength(5)
  expect(stderr).toContain('2 more sets of equal lines\n')
  expect((await shop.run([...plan, '-q'])).stderr).toBe('')
  const other = shop.file(`${header}${names.join('')}`, 'other.csv')
  expect(
    (await shop.run(['batch', 'plan', other, '--wallet', 'USD', '--name', 'other'])).stderr,
  ).not.toContain('equal')
})
