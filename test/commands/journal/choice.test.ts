// Which journal a command uses: ORDERCTL_JOURNAL, that of the profile, or the file. The machine remembers the journal of an
// account, and does not spend with another one.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { realClock } from '../../support/in-process.ts'
import { readMachineFile } from '../../support/machine-file.ts'
import type { Ran } from '../../support/orderctl.ts'
import { order } from '../../support/world.ts'
import { buy, openProfiles, openTeam } from './team.ts'

const openShop = async () => {
  const profiles = await openProfiles()
  return {
    ...profiles,
    shown: async () => JSON.parse((await profiles.run(['profile', 'show', 'shop', '--json'])).stdout),
    ordersInDatabase: () => profiles.database.admin('SELECT reference, state FROM orders'),
  }
}

const elsewhere = 'postgres://ana@localhost:9/other'

/** The command used no journal, and its error has these texts. */
const expectRefused = ({ exit, stderr }: Ran, ...texts: string[]): void => {
  expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining(texts[0] ?? '') })
  for (const text of texts) expect(stderr).toContain(text)
}

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

describe('ORDERCTL_JOURNAL', () => {
  test('is refused by every command that reads or writes the journal if it is no address', async () => {
    const { run, add, shop } = await openShop()
    await add()
    for (const [text = '', message = ''] of [
      ['', 'ORDERCTL_JOURNAL is empty'],
      ['/srv/journal.db', 'ORDERCTL_JOURNAL is not the address of a database'],
      ['postgres://ana:Canary-8@db/orders', 'the PostgreSQL address contains a password'],
    ]) {
      const lines = ['list', 'batch list', 'journal status', 'journal migrate'].map((line) => line.split(' '))
      for (const words of [buy, ...lines]) {
        const { exit, stderr } = await run(words, { ORDERCTL_JOURNAL: text })
        expect({ words, exit, stderr }).toEqual({ words, exit: 2, stderr: expect.stringContaining(message) })
        expect(stderr).not.toContain('Canary-8')
      }
    }
    expect(await shop.asked()).toBe('')
  })

  test('is used instead of the file, and the machine remembers it', async () => {
    const { run, add, address, ordersInDatabase, file, state } = await openShop()
    await add()
    expect((await run(buy, { ORDERCTL_JOURNAL: address })).exit).toBe(0)
    expect(await ordersInDatabase()).toEqual([{ reference: 'po-1', state: 'confirmed' }])
    expect(existsSync(file)).toBe(false)
    expect(readMachineFile(state).journals).toMatchObject([{ place: address, isUsed: true }])
  })

  test('without an account orders nothing, and does not move the orders of the sandbox', async () => {
    const { run, address, file, database } = await openShop()
    const refused = await run(buy, { ORDERCTL_JOURNAL: address })
    expect(refused).toMatchObject({ exit: 4, stdout: '' })
    expect(refused.stderr).toContain('ORDERCTL_JOURNAL is set, but no account is selected')
    const { exit, stderr } = await run([...buy, '--profile', 'sandbox'], { ORDERCTL_JOURNAL: address })
    expect(exit, stderr).toBe(0)
    expect(existsSync(file)).toBe(true)
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
  })
})

describe('an account that has orders: nothing is sent with another journal', () => {
  const spending: [string, (shop: Awaited<ReturnType<typeof openShop>>) => readonly string[]][] = [
    ['create', () => buy],
    ['confirm', () => ['confirm', 'ref:po-1']],
    [
      'batch run',
      ({ shop }) => {
        const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
        return ['batch', 'run', rows, '--name', 'gifts', '--wallet', 'USD', '--max-total', '50', '--yes']
      },
    ],
  ]

  test.each(spending)('%s', async (_, wordsOf) => {
    const opened = await openShop()
    const { run, add, address, shop, file } = opened
    await add()
    expect((await run(order, { ORDERCTL_JOURNAL: address })).exit).toBe(0)
    const words = wordsOf(opened)
    const asked = await shop.asked()
    expectRefused(
      await run(words),
      ` are in the journal ${address}, but this command uses ${file}; nothing was sent\n`,
      `To use that journal, set ORDERCTL_JOURNAL=${address}, or use profile set with --journal. `,
    )
    expect(existsSync(file)).toBe(false)
    expect((await shop.asked()).replace(asked, '').replaceAll(/ ?get/g, '')).toBe('')
  })

  test('by --journal: ORDERCTL_JOURNAL may name the same database in other words', async () => {
    const { run, add, address, shop } = await openShop()
    await add('--journal', address)
    expectRefused(
      await run(buy, { ORDERCTL_JOURNAL: elsewhere }),
      'Unset ORDERCTL_JOURNAL. To give the profile another journal, use ',
    )
    expect(await shop.asked()).toBe('')
    const same = await run(buy, { ORDERCTL_JOURNAL: address.replace('127.0.0.1', 'localhost') })
    expect(same.exit, same.stderr).toBe(0)
  })

  test('profile add --replace does not forget it: a new key must not change the journal', async () => {
    const { run, add, address, shown } = await openShop()
    await add()
    await run(buy, { ORDERCTL_JOURNAL: address })
    expect((await add('--replace')).exit).toBe(0)
    expect((await run(buy)).exit).toBe(9)
    expect((await add('--replace', '--journal', address)).exit).toBe(0)
    expect((await run(buy)).exit).toBe(11)
    expect((await add('--replace')).exit).toBe(0)
    expect(await shown()).toMatchObject({ journal: address })
    expect((await run(buy)).exit).toBe(11)
  })

  test('profile add --replace --journal local goes back to the file, and warns', async () => {
    const { run, add, address, file } = await openShop()
    await add('--journal', address)
    const { exit, stderr } = await add('--replace', '--journal', 'local')
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining(
        `warning: the profile shop now uses the journal of this machine, which does not know the orders in ${address}\n`,
      ),
    })
    expect((await run(order)).exit).toBe(0)
    expect(existsSync(file)).toBe(true)
  })

  test('also after profile remove, until journal forget', async () => {
    const { run, add, address, file } = await openShop()
    await add()
    await run(buy, { ORDERCTL_JOURNAL: address })
    expect((await run(['profile', 'remove', 'shop'])).exit).toBe(0)
    expect((await add()).exit).toBe(0)
    expect((await run(order)).exit).toBe(9)
    const { exit, stdout } = await run(['journal', 'forget', '--json'])
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      [{ journal: address, newestCallAt: expect.stringMatching(/^\d{4}-/) }],
    ])
    expect((await run(['journal', 'forget'])).stdout).toBe('This machine knows no journal of this account.\n')
    expect((await run(order)).exit).toBe(0)
    expect(existsSync(file)).toBe(true)
  })
})

describe('two profiles, and the environment, with one account: nothing is sent with another journal', () => {
  const openTwo = async (...journal: string[]) => {
    const opened = await openShop()
    await opened.add('--journal', opened.address)
    expect((await opened.run(buy)).exit).toBe(0)
    const added = await opened.addSecond(...journal)
    expect(added.exit, added.stderr).toBe(0)
    const asked = await opened.shop.asked()
    return {
      ...opened,
      sent: async () => (await opened.shop.asked()).replace(asked, ''),
    }
  }
  const again = [...buy, '--profile', 'second']

  test('the second profile has none', async () => {
    const { run, address, sent, file } = await openTwo()
    expectRefused(
      await run(again),
      `error: the profile shop keeps the orders of this account in ${address}, but this command uses ${file}; nothing was sent\n`,
      `Set ORDERCTL_JOURNAL=${address}, or give both profiles one journal with profile set --journal. If they are two accounts, name both: use profile set --account. If you do not need the profile shop: orderctl profile remove shop\n`,
    )
    expect(await sent()).toBe('')
    expect(existsSync(file)).toBe(false)
    expect((await run(again, { ORDERCTL_JOURNAL: address })).exit).toBe(11)
  })

  const oneJournal = 'give both profiles one journal with profile set --journal.'

  test('the second profile has another one', async () => {
    const { run, sent } = await openTwo('--journal', elsewhere)
    expectRefused(await run(again), `, but this command uses ${elsewhere}; nothing was sent\n`, oneJournal)
    expect(await sent()).toBe('')
  })

  test('the account is in the environment', async () => {
    const { run, shop, address, sent } = await openTwo()
    const { environment } = shop
    expectRefused(
      await run(buy, environment),
      ', but this command uses ',
      'name both: set ORDERCTL_ACCOUNT, and use profile set --account',
    )
    expect(await sent()).toBe('')
    expect((await run(buy, { ...environment, ORDERCTL_JOURNAL: address })).exit).toBe(11)
    expect((await run(['profile', 'remove', 'shop'])).exit).toBe(0)
    expectRefused(await run(order, environment), ` are in the journal ${address}, but this command uses `)
    expect((await run(['journal', 'forget'], environment)).exit).toBe(0)
    expect((await run(order, environment)).exit).toBe(0)
  })

  test('one names another one: the fix does not lead back to the first error', async () => {
    const { run, add, addSecond, address } = await openShop()
    await addSecond()
    const here = { ORDERCTL_JOURNAL: address }
    expect((await run(again, here)).exit).toBe(0)
    await add('--journal', elsewhere)
    expectRefused(
      await run(again, here),
      `, but this command uses ${address}; nothing was sent\n`,
      oneJournal,
    )
    expect((await add('--replace', '--journal', address)).exit).toBe(0)
    expect((await run(again, here)).exit).toBe(11)
  })

  test('list --refresh updates only the journal that it lists', async () => {
    const { run, add, addSecond, address, database } = await openShop()
    await addSecond()
    await run(again)
    await add('--journal', address)
    await run(['journal', 'forget'])
    await run([...order, '--reference', 'po-2'])
    // Both orders have the number 1 in their journal.
    const readShared = () => database.admin('SELECT number, reference, state FROM orders')
    const before = await readShared()
    expect(before).toMatchObject([{ reference: 'po-2', state: 'created' }])
    const { stdout } = await run(['list', '--refresh', '--profile', 'second', '--json'])
    expect(JSON.parse(stdout)).toMatchObject([{ reference: 'po-1', state: 'confirmed' }])
    expect(await readShared()).toEqual(before)
  })

  test('commands that never spend still find the orders in the first journal', async () => {
    const { run, add, addSecond, shop, address } = await openShop()
    await addSecond()
    const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
    const second = ['--profile', 'second']
    await run(['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD', ...second])
    await run([...order, ...second])
    await add('--journal', address)
    expect((await run([...again, '--reference', 'po-2'])).exit).toBe(9)
    const cards = path.join(shop.home, 'cards.csv')
    for (const [exit, ...words] of [
      [0, 'reconcile', 'ref:po-1'],
      [3, 'batch', 'export', 'gifts', cards],
    ] as const) {
      const done = await run([...words, ...second])
      expect({ words, exit: done.exit }).toEqual({ words, exit })
      expect(done.stderr).not.toContain('ORDERCTL_JOURNAL')
    }
  })

  test('the names of their accounts differ: they are two accounts', async () => {
    const { add, run, addSecond, address, file } = await openTwo()
    await add('--replace', '--account', 'eu', '--journal', address)
    expect((await run(again)).exit).toBe(9)
    await addSecond('--replace', '--account', 'us')
    // The first order was placed without a name.
    expect((await run(again)).exit).toBe(9)
    expect((await run(['journal', 'forget', '--profile', 'second'])).exit).toBe(0)
    const { exit, stderr } = await run(again)
    expect(exit, stderr).toBe(0)
    expect(existsSync(file)).toBe(true)
  })
})

describe('profile add --journal', () => {
  test('keeps the address in one spelling, and uses it', async () => {
    const { run, add, address, shown, ordersInDatabase } = await openShop()
    const added = await add('--journal', address.replace('postgres:', 'postgresql:'))
    expect(added.exit, added.stderr).toBe(0)
    expect(await shown()).toMatchObject({ journal: address })
    expect((await run(['profile', 'show', 'shop'])).stdout).toContain(`Journal     ${address}\n`)
    expect((await run(buy)).exit).toBe(0)
    expect(await ordersInDatabase()).toHaveLength(1)
  })

  test('asks the password command for the password, once', async () => {
    const { run, add, address, shop, database } = await openShop()
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

  test('does not ask the password command for another server that ORDERCTL_JOURNAL names', async () => {
    const { run, add, address, database, shop } = await openShop()
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
  ])('a password command that %s: nothing is sent', async (_, command, message) => {
    const { run, add, address, shop } = await openShop()
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
  const { add, run, address } = await openShop()
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
