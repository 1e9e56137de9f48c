// The prompt for the password of a shared journal, and its clock. choice.session has the rest.
import { expect, test } from 'vitest'
import { realClock } from '../../support/in-process.ts'
import { buy, openProfiles, openTeam } from './team.ts'

test('the time of a plan is that of the database, because the clocks of a team may disagree', async () => {
  const { run, prepare, database, shop } = await openTeam()
  await prepare()
  shop.file('sku,quote\nGAME-US,25\n', 'gifts.csv')
  const clock = { ...realClock, now: () => Date.now() - 3_600_000 }
  const { exit, stderr } = await run(['batch', 'plan', 'gifts.csv', '--wallet', 'USD'], { clock })
  expect(exit, stderr).toBe(0)
  const [{ planned_at: plannedAt } = {}] = await database.admin('SELECT planned_at FROM batches')
  expect(Math.abs(Number(plannedAt) - Date.now())).toBeLessThan(1_800_000)
})

test('ORDERCTL_JOURNAL may name the journal of the profile in other words', async () => {
  const { run, add, address } = await openProfiles()
  await add('--journal', address)
  const { exit, stderr } = await run(buy, { ORDERCTL_JOURNAL: address.replace('127.0.0.1', 'localhost') })
  expect(exit, stderr).toBe(0)
})
