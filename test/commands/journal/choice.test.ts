// The prompt for the password of a shared journal, and its clock. choice.session has the rest.
import { expect, test } from 'vitest'
import { realClock } from '../../support/in-process.ts'
import { order } from '../../support/world.ts'
import { buy, openProfiles, openTeam } from './team.ts'

test('each command asks for the password on a terminal, but not with --no-input', async () => {
  const { shop, address } = await openTeam()
  shop.file('sku,quote\nGAME-US,25\n', 'gifts.csv')
  const env = { ORDERCTL_JOURNAL: address, CI: undefined }
  const ask = async (line: string) => {
    const { exit, stderr, questions } = await shop.atTerminal(line.split(' '), { env, answers: [undefined] })
    return { line, exit, stderr, asked: questions.map((question) => question.split(' ', 1)[0]) }
  }
  const needing = [
    order.join(' '),
    ...['list', 'reveals', 'reconcile', 'reconcile @last --settle spent --reason bank'],
    ...['get ref:po-1', 'watch ref:po-1', 'redeem ref:po-1', 'profile limits'],
    ...['batch list', 'batch list --waiting', 'batch plan gifts.csv --wallet USD', 'batch show gifts'],
    ...['batch export gifts cards.csv', 'batch cancel gifts'],
  ]
  for (const line of [...needing, 'get sbx_1', 'redeem sbx_1 --reveal', 'journal status'])
    expect(await ask(line)).toMatchObject({ line, exit: 130, asked: ['Database'] })
  for (const line of needing)
    expect(await ask(`${line} --no-input`)).toMatchObject({
      ...{ exit: 9, asked: [] },
      stderr: expect.stringContaining('Put it into PGPASSWORD, or add this line to ~/.pgpass'),
    })
})

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
