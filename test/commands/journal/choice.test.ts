// The password of a shared journal, and its clock. choice.session has which journal a command uses.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
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
    ...['list', 'list --reveals', 'reconcile', 'reconcile @last --settle spent --reason bank'],
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

describe('the password command of a profile', () => {
  test('is run for the password, once', async () => {
    const { run, add, address, shop, database } = await openProfiles()
    const log = path.join(shop.home, 'log')
    await add('--journal', address, '--journal-password-command', `echo >> ${log}; echo ${database.password}`)
    const { exit, stderr } = await run(buy, { PGPASSWORD: undefined })
    expect(exit, stderr).toBe(0)
    expect(readFileSync(log, 'utf8')).toBe('\n')
    expect((await run(['list', '-q'], { PGPASSWORD: undefined })).stdout).toMatch(/^sbx_|^ord_/)
    const shown = (await run(['profile', 'show', 'shop', '--json'])).stdout
    expect(shown).not.toContain(database.password)
    expect(JSON.parse(shown).journalCredential).toBe('command, run when needed')
    expect((await run(['profile', 'show', 'shop'])).stdout).toContain(
      'Password    command, run when needed\n',
    )
    expect((await run(['profile', 'list'], { COLUMNS: '200' })).stdout).toMatch(
      new RegExp(`JOURNAL\n[^]*${address}$`, 'm'),
    )
  })

  test('is not run for another server that ORDERCTL_JOURNAL names', async () => {
    const { run, add, address, database, shop } = await openProfiles()
    const log = path.join(shop.home, 'log')
    await add('--journal', 'postgres://ana@db.example/orders', '--journal-password-command', `echo >> ${log}`)
    const { exit, stderr } = await run(['list'], { ORDERCTL_JOURNAL: address, PGPASSWORD: undefined })
    expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining('asks for a password') })
    expect(existsSync(log)).toBe(false)
    expect(stderr).not.toContain(database.password)
  })

  test.each([
    ['fails', 'echo Canary-7; exit 3', 'ended with exit code 3'],
    ['prints nothing', 'true', 'printed no password on its first line'],
    ['prints too much', 'yes Canary-7 | tr -d "\\n" 2> /dev/null', 'printed more than a password'],
  ])('that %s: nothing is sent', async (_, command, message) => {
    const { run, add, address, shop } = await openProfiles()
    await add('--journal', address, '--journal-password-command', command)
    const { exit, stderr } = await run(buy, { PGPASSWORD: undefined })
    expect(exit).toBe(9)
    expect(stderr).toContain(`error: the journal's password command ${message}; nothing was sent\n`)
    expect(stderr).toContain('Its first line of output must be the password.')
    expect(stderr).not.toMatch(/Canary-7|\bkey\b/)
    expect(await shop.asked()).toBe('')
  })
})

test('an empty list of the sandbox says whose orders are in a shared journal', async () => {
  const { add, run, address } = await openProfiles()
  await add('--journal', address)
  expect((await run(buy)).exit).toBe(0)
  const sandbox = { ORDERCTL_PROFILE: 'sandbox' }
  await run(
    ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'trial', '--dry-run'],
    sandbox,
  )
  await run(['batch', 'plan', '--product', 'GAME-US:25', '--wallet', 'USD', '--name', 'trial'], sandbox)
  const { stdout, stderr } = await run(['list'], sandbox)
  expect([stdout, stderr]).toEqual([
    '',
    'No matching orders\nOrders of shop are not listed. Show them: orderctl list --profile shop\n',
  ])
  expect((await run(['list', '-q', '--profile', 'shop'], sandbox)).stdout).not.toBe('')
})
