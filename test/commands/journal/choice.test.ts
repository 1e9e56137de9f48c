// Which journal a command uses: ORDERCTL_JOURNAL, that of the profile, or the file. A profile remembers its journal, and
// does not spend with another one.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTeam } from './team.ts'

const order = ['--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1']
const create = ['create', ...order, '--confirm']

/** A customer with a profile, and without an account or a journal in the environment. */
const openShop = async () => {
  const team = await openTeam()
  const { shop, database } = team
  const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = shop.environment
  const fixed = {
    ...{ ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined, ORDERCTL_JOURNAL: undefined },
    ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config'),
  }
  const run = (words: readonly string[], env: Record<string, string | undefined> = {}, input?: string) =>
    team.run(words, { env: { ...fixed, ...env }, ...(input === undefined ? {} : { input }) })
  const add = (...more: string[]) =>
    run(['profile', 'add', 'shop', '--base-url', url, '--key-stdin', '--use', ...more], {}, key)
  const addSecond = (...more: string[]) => {
    const spelled = `${url.replace('127.0.0.1', 'LOCALHOST')}/`
    return run(['profile', 'add', 'second', '--base-url', spelled, '--key-stdin', ...more], {}, key)
  }
  return {
    ...team,
    run,
    add,
    /** Adds another profile with the same account. */
    addSecond,
    shown: async () => JSON.parse((await run(['profile', 'show', 'shop', '--json'])).stdout),
    ordersInDatabase: () => database.admin('SELECT reference, standing FROM orders'),
    file: path.join(shop.home, 'state', 'journal.db'),
  }
}

describe('the password', () => {
  const ask = async (words: readonly string[]) => {
    const { shop, address } = await openTeam()
    shop.file('sku,quote\nGAME-US,25\n', 'gifts.csv')
    const env = { ORDERCTL_JOURNAL: address, CI: undefined }
    const { exit, stderr, questions } = await shop.atTerminal(words, {
      env,
      answers: [undefined],
    })
    return { exit, stderr, questions: questions.map((question) => question.split(' ', 1)[0]) }
  }

  const asked = (...flags: string[]) => ask(['create', ...order, ...flags])

  test('is asked for on a terminal', async () => {
    expect(await asked()).toMatchObject({ exit: 130, questions: ['Database'] })
  })

  test.each([[['list']], [['journal', 'status']], [['get', 'sbx_1']], [['redeem', 'sbx_1', '--reveal']]])(
    'Ctrl-C ends %j',
    async (words) => {
      const { shop, address } = await openTeam()
      const env = { ORDERCTL_JOURNAL: address, CI: undefined }
      const { exit, questions } = await shop.atTerminal(words, { env, answers: [undefined] })
      expect({ exit, asked: questions.length }).toEqual({ exit: 130, asked: 1 })
    },
  )

  test('is not asked for with --no-input', async () => {
    const { exit, stderr, questions } = await asked('--no-input')
    expect({ exit, questions }).toEqual({ exit: 9, questions: [] })
    expect(stderr).toContain('try: Put it into PGPASSWORD, or add this line to ~/.pgpass')
  })

  test.each([
    [['list']],
    [['list', '--reveals']],
    [['reconcile']],
    [['reconcile', '@last', '--settle', 'spent', '--reason', 'bank']],
    [['get', 'ref:po-1']],
    [['watch', 'ref:po-1']],
    [['redeem', 'ref:po-1']],
    [['batch', 'list']],
    [['batch', 'list', '--waiting']],
    [['batch', 'plan', 'gifts.csv', '--wallet', 'USD']],
    [['batch', 'show', 'gifts']],
    [['batch', 'export', 'gifts', 'cards.csv']],
    [['batch', 'cancel', 'gifts']],
    [['profile', 'limits']],
  ])('%j asks for it, but not with --no-input', async (words) => {
    expect((await ask(words)).questions).toEqual(['Database'])
    expect(await ask([...words, '--no-input'])).toMatchObject({ exit: 9, questions: [] })
  })
})

describe('ORDERCTL_JOURNAL', () => {
  test.each([
    ['is empty', '', 'ORDERCTL_JOURNAL is empty'],
    ['is a file', '/srv/journal.db', 'ORDERCTL_JOURNAL is not the address of a database'],
    ['is another database', 'mysql://ana@db/orders', 'ORDERCTL_JOURNAL is not the address of a database'],
    ['has a password', 'postgres://ana:Canary-8@db/orders', 'the PostgreSQL address contains a password'],
    ['has no database', 'postgres://ana@db', 'the PostgreSQL address has no database'],
    ['has a wrong sslmode', 'postgres://ana@db/orders?sslmode=prefer', 'has an invalid sslmode'],
  ])('%s: every command that reads or writes the journal refuses it', async (_, text, message) => {
    const { run, add, shop } = await openShop()
    await add()
    for (const words of [
      create,
      ['list'],
      ['batch', 'list'],
      ['journal', 'status'],
      ['journal', 'migrate'],
    ]) {
      const { exit, stderr } = await run(words, { ORDERCTL_JOURNAL: text })
      expect({ words, exit, stderr }).toEqual({ words, exit: 2, stderr: expect.stringContaining(message) })
      expect(stderr).not.toContain('Canary-8')
    }
    expect(await shop.asked()).toBe('')
  })

  test('is used instead of the file, and the profile remembers it', async () => {
    const { run, add, address, shown, ordersInDatabase, file } = await openShop()
    await add()
    expect(await shown()).not.toHaveProperty('lastJournal')
    expect((await run(create, { ORDERCTL_JOURNAL: address })).exit).toBe(0)
    expect(await ordersInDatabase()).toEqual([{ reference: 'po-1', standing: 'confirmed' }])
    expect(existsSync(file)).toBe(false)
    expect(await shown()).toMatchObject({ lastJournal: address })
    expect((await run(['profile', 'show', 'shop'])).stdout).toContain(
      `Journal     ${address}, by ORDERCTL_JOURNAL\n`,
    )
  })

  test('does not move the orders of the sandbox', async () => {
    const { run, address, file, database } = await openShop()
    const { exit, stderr } = await run(create, { ORDERCTL_JOURNAL: address })
    expect(exit, stderr).toBe(0)
    expect(existsSync(file)).toBe(true)
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
  })
})

describe('a profile that knows its journal: nothing is sent with another one', () => {
  const spending: [string, (shop: Awaited<ReturnType<typeof openShop>>) => readonly string[]][] = [
    ['create', () => create],
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
    const { run, add, address, shop } = opened
    await add()
    expect((await run(['create', ...order], { ORDERCTL_JOURNAL: address })).exit).toBe(0)
    const words = wordsOf(opened)
    const asked = await shop.asked()
    const unset = await run(words)
    expect({ exit: unset.exit, stderr: unset.stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining(
        `error: the profile shop keeps its orders in ${address}, but ORDERCTL_JOURNAL is not set; nothing was sent\n`,
      ),
    })
    expect(unset.stderr).toContain(
      `try: Set ORDERCTL_JOURNAL=${address}. To give the profile another journal, use `,
    )
    const other = 'postgres://ana@localhost:9/other'
    const elsewhere = await run(words, { ORDERCTL_JOURNAL: other })
    expect({ exit: elsewhere.exit, stderr: elsewhere.stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining(`but ORDERCTL_JOURNAL is ${other}; nothing was sent\n`),
    })
    expect((await shop.asked()).replace(asked, '').replaceAll(/ ?get/g, '')).toBe('')
  })

  test('by --journal: ORDERCTL_JOURNAL may name the same database in other words', async () => {
    const { run, add, address, shop } = await openShop()
    await add('--journal', address)
    const other = await run(create, { ORDERCTL_JOURNAL: 'postgres://ana@localhost:9/other' })
    expect(other.exit).toBe(9)
    expect(other.stderr).toContain('try: Unset ORDERCTL_JOURNAL. To give the profile another journal, use ')
    expect(await shop.asked()).toBe('')
    const same = await run(create, { ORDERCTL_JOURNAL: address.replace('127.0.0.1', 'localhost') })
    expect(same.exit, same.stderr).toBe(0)
  })

  test('profile add --replace does not forget it: a new key must not change the journal', async () => {
    const { run, add, address, shown } = await openShop()
    await add()
    await run(create, { ORDERCTL_JOURNAL: address })
    expect((await add('--replace')).exit).toBe(0)
    expect((await run(create)).exit).toBe(9)
    expect((await add('--replace', '--journal', address)).exit).toBe(0)
    expect((await run(create)).exit).toBe(11)
    expect((await add('--replace')).exit).toBe(0)
    expect(await shown()).toMatchObject({ journal: address })
    expect((await run(create)).exit).toBe(11)
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
    expect((await run(['create', ...order])).exit).toBe(0)
    expect(existsSync(file)).toBe(true)
  })

  test('after profile remove, a new profile uses the file', async () => {
    const { run, add, address, file } = await openShop()
    await add()
    await run(create, { ORDERCTL_JOURNAL: address })
    expect((await run(['profile', 'remove', 'shop'])).exit).toBe(0)
    expect((await add()).exit).toBe(0)
    expect((await run(['create', ...order])).exit).toBe(0)
    expect(existsSync(file)).toBe(true)
  })
})

describe('two profiles, and the environment, with one account: nothing is sent with another journal', () => {
  const openTwo = async (...journal: string[]) => {
    const opened = await openShop()
    const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = opened.shop.environment
    await opened.add('--journal', opened.address)
    expect((await opened.run(create)).exit).toBe(0)
    const added = await opened.addSecond(...journal)
    expect(added.exit, added.stderr).toBe(0)
    const asked = await opened.shop.asked()
    return {
      ...opened,
      environment: { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key },
      sent: async () => (await opened.shop.asked()).replace(asked, ''),
    }
  }
  const again = ['create', ...order, '--confirm', '--profile', 'second']

  test('the second profile has none', async () => {
    const { run, address, sent, file } = await openTwo()
    const { exit, stderr } = await run(again)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining(
        `error: the profile shop keeps orders of the same account in ${address}, but ORDERCTL_JOURNAL is not set; nothing was sent\n`,
      ),
    })
    expect(stderr).toContain(
      `try: Set ORDERCTL_JOURNAL=${address}. If they are two accounts, name both: use orderctl profile add with --replace and --account. If you do not need the profile shop: orderctl profile remove shop\n`,
    )
    expect(await sent()).toBe('')
    expect(existsSync(file)).toBe(false)
    expect((await run(again, { ORDERCTL_JOURNAL: address })).exit).toBe(11)
  })

  test('the second profile has another one', async () => {
    const other = 'postgres://ana@localhost:9/other'
    const { run, sent } = await openTwo('--journal', other)
    const { exit, stderr } = await run(again)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining(`, but the profile second uses ${other}; nothing was sent\n`),
    })
    expect(stderr).toContain(
      'try: Give both profiles one journal: orderctl profile add with --replace and --journal.',
    )
    expect(await sent()).toBe('')
  })

  test('the account is in the environment', async () => {
    const { run, environment, address, sent } = await openTwo()
    const { exit, stderr } = await run(create, environment)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining('ORDERCTL_JOURNAL is not set'),
    })
    expect(stderr).toContain('name both: set ORDERCTL_ACCOUNT, and use orderctl profile add with --replace')
    expect(await sent()).toBe('')
    expect((await run(create, { ...environment, ORDERCTL_JOURNAL: address })).exit).toBe(11)
    // A CI job, on a machine with a profile that nobody uses any more.
    expect((await run(['profile', 'remove', 'shop'])).exit).toBe(0)
    expect((await run(['create', ...order], environment)).exit).toBe(0)
  })

  test('each remembers another one: the fix does not lead back to the first error', async () => {
    const { run, add, addSecond, address } = await openShop()
    await addSecond()
    expect((await run(again, { ORDERCTL_JOURNAL: address })).exit).toBe(0)
    const other = 'postgres://ana@localhost:9/other'
    await add('--journal', other)
    const { exit, stderr } = await run(again, { ORDERCTL_JOURNAL: address })
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining(`, but the profile second uses ${address}; nothing was sent\n`),
    })
    expect(stderr).toContain('try: Give both profiles one journal: ')
    expect((await add('--replace', '--journal', address)).exit).toBe(0)
    expect((await run(again, { ORDERCTL_JOURNAL: address })).exit).toBe(11)
  })

  test('commands that never spend still find the orders in the first journal', async () => {
    const { run, add, addSecond, shop, address } = await openShop()
    await addSecond()
    const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
    const second = ['--profile', 'second']
    await run(['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD', ...second])
    await run(['create', ...order, ...second])
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
    expect(JSON.parse((await run(['profile', 'show', 'second', '--json'])).stdout)).not.toHaveProperty(
      'lastJournal',
    )
  })

  test('the names of their accounts differ: they are two accounts', async () => {
    const { add, run, addSecond, address, file } = await openTwo()
    await add('--replace', '--account', 'eu', '--journal', address)
    expect((await run(again)).exit).toBe(9)
    await addSecond('--replace', '--account', 'us')
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
    expect((await run(create)).exit).toBe(0)
    expect(await ordersInDatabase()).toHaveLength(1)
    expect(await shown()).not.toHaveProperty('lastJournal')
  })

  test('asks the password command for the password, once', async () => {
    const { run, add, address, shop, database } = await openShop()
    const log = path.join(shop.home, 'log')
    await add('--journal', address, '--journal-password-command', `echo >> ${log}; echo ${database.password}`)
    const { exit, stderr } = await run(create, { PGPASSWORD: undefined })
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
    ['prints too much', 'yes Canary-7 | tr -d "\\n"', 'printed more than a password'],
  ])('a password command that %s: nothing is sent', async (_, command, message) => {
    const { run, add, address, shop } = await openShop()
    await add('--journal', address, '--journal-password-command', command)
    const { exit, stderr } = await run(create, { PGPASSWORD: undefined })
    expect(exit).toBe(9)
    expect(stderr).toContain(`error: the journal's password command ${message}; nothing was sent\n`)
    expect(stderr).toContain('Its first line of output must be the password.')
    expect(stderr).not.toMatch(/Canary-7|\bkey\b/)
    expect(await shop.asked()).toBe('')
  })
})
