// The journal at the command line: what is refused, what is listed, what is settled, and what works without it.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { type Customer, customer, overSocket, scrub, scrubbed } from '../../support/customer.ts'
import { hastyClock, realClock } from '../../support/in-process.ts'

const id = 'sbx_1234567890abcdef'
const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1']

const journalOf = ({ home }: Customer): string => path.join(home, 'state', 'journal.db')
const idOf = (stdout: string): string => stdout.trim()
const listed = async (shop: Customer, ...flags: string[]) =>
  JSON.parse(await shop.must('list', '--json', ...flags)) as Record<string, unknown>[]

describe('a reference', () => {
  test('that is taken is refused, with the order and its state; nothing is sent', async () => {
    const shop = await customer(overSocket)
    await shop.must(...order, '-q')
    expect(await shop.does(...order)).toEqual({
      exit: 11,
      stdout: '',
      stderr: `where it acts\nerror: the reference po-1 is already used by the order ${id} (created); nothing was sent\ntry: Show it: orderctl get ${id}. Use --idempotent to continue with that order, or --allow-duplicate to order again.\n`,
    })
    expect((await shop.asked()).split(' ').filter((each) => each === 'create')).toHaveLength(1)
    expect((await shop.does(...order, '--allow-duplicate', '-q')).exit).toBe(0)
    expect(await listed(shop)).toHaveLength(2)
  })

  test('is free again where the order came to nothing, which is asked for', async () => {
    const shop = await customer(overSocket)
    await shop.must(...order, '-q')
    await shop.advance('11m')
    expect((await shop.does(...order, '-q')).exit).toBe(0)
    expect((await listed(shop)).map(({ state }) => state)).toEqual(['created', 'expired'])
  })

  test('of an order whose create had no answer is free: it spends nothing', async () => {
    const shop = await customer(overSocket)
    await shop.fault('create:reset-after')
    expect((await shop.does(...order)).exit).toBe(5)
    expect((await shop.does(...order, '-q')).exit).toBe(0)
    expect(await shop.asked()).toBe('create create')
    expect((await listed(shop)).map(({ state }) => state)).toEqual(['created', 'unanswered'])
  })

  test('of one account is not that of another', async () => {
    const shop = await customer(overSocket)
    await shop.must(...order, '-q')
    expect((await shop.run([...order, '--profile', 'sandbox', '-q'])).exit).toBe(0)
  })

  test.each(['refused', 'not sent'])('is free where the order was %s', async (how) => {
    const shop = await customer(overSocket)
    const words = how === 'refused' ? [...order, '--product', 'TEST-OUT-OF-STOCK:10'] : order
    const env = how === 'refused' ? {} : { ORDERCTL_BASE_URL: 'http://127.0.0.1:9' }
    const { exit } = await shop.run(words, { env })
    expect(exit).toBe(how === 'refused' ? 3 : 5)
    expect((await shop.run([...order, '-q'])).exit).toBe(0)
  })
})

describe('an open confirmation', () => {
  const unknown = async () => {
    const shop = await customer(overSocket)
    const waiting = idOf(await shop.must(...order, '-q'))
    await shop.fault('confirm:reset-before')
    const ran = await shop.atTerminal(['confirm', waiting, '--yes', '-q'], {
      terminals: [],
      clock: hastyClock(),
    })
    expect(ran.exit).toBe(6)
    return { shop, waiting }
  }

  test('is not sent again; reconcile says when it can be settled', async () => {
    const { shop, waiting } = await unknown()
    expect(await shop.does('confirm', waiting, '-q')).toMatchObject({
      exit: 6,
      stderr: expect.stringMatching(
        /error: the outcome of a confirm sent at an ISO time is unknown; no second confirm was sent\ntry: orderctl reconcile sbx_/,
      ),
    })
    expect((await shop.asked()).match(/confirm/g)).toHaveLength(1)
    const { exit, stdout } = await shop.does('reconcile')
    expect(exit).toBe(6)
    expect(stdout).toMatch(
      /^sbx_1234567890abcdef {2}\? unknown, a confirm was sent, its outcome is unknown\n {2}Reference po-1\n {2}Do not order again\. Check again in 1[12] min: orderctl reconcile sbx_/,
    )
  })

  test('is settled by two looks, a minute apart, after the order has expired; nothing else proves it', async () => {
    const { shop, waiting } = await unknown()
    const reconciled = async () => {
      const { exit, stdout } = await shop.run(['reconcile', '@last', '--json'])
      const [{ was, state, isUnproven, safeFrom, next }] = JSON.parse(stdout)
      return { exit, was, state, isUnproven, hasTime: safeFrom !== undefined, next }
    }
    const stillUnknown = {
      ...{ exit: 6, was: 'unknown', state: 'unknown', isUnproven: true, hasTime: true },
      next: expect.stringMatching(/^Do not order again\. Check again in /),
    }
    await shop.advance('2m')
    expect(await reconciled()).toEqual(stillUnknown)
    // Ten minutes and a margin of one.
    await shop.advance('9m5s')
    expect(await reconciled()).toEqual(stillUnknown)
    await shop.advance('50s')
    expect(await reconciled()).toEqual(stillUnknown)
    await shop.advance('15s')
    expect(await reconciled()).toEqual({
      ...{ exit: 0, was: 'unknown', state: 'expired', isUnproven: false, hasTime: false },
      next: 'Nothing was spent. You can use its reference again.',
    })
    expect((await shop.does(...order, '-q')).exit).toBe(0)
    expect((await shop.asked()).match(/confirm/g)).toHaveLength(1)
    expect(await shop.calls.state(waiting)).toBe('created')
  })

  test('that took effect all the same is told by any look at the order', async () => {
    const { shop, waiting } = await unknown()
    await shop.calls.confirm(waiting)
    await shop.must('get', waiting)
    expect((await shop.does('reconcile')).exit).toBe(0)
    expect((await shop.does('confirm', waiting)).exit).toBe(3)
  })
})

describe('list', () => {
  const filled = async () => {
    const shop = await customer(overSocket)
    const first = idOf(await shop.must(...order, '--confirm', '-q'))
    await shop.run(['create', '--product', 'NOBODY:1', '--wallet', 'EUR', '--reference', 'po-2'])
    const last = idOf(
      await shop.must('create', '--product', 'GAME-JP:3000', '--wallet', 'JPY', '--reference', 'po-3', '-q'),
    )
    return { shop, first, last }
  }

  test('is a table, newest first, as the journal has it: no call is made', async () => {
    const { shop } = await filled()
    const before = await shop.asked()
    const { exit, stdout, stderr } = await shop.does('list')
    expect({ exit, stderr, stdout: `\n${stdout}` }).toMatchInlineSnapshot(`
      {
        "exit": 0,
        "stderr": "1 attempt that never became an order is hidden. Show it: orderctl list --all
      ",
        "stdout": "
      ORDER                 STATE        PRODUCTS              TOTAL  AGE  REFERENCE  PROFILE
      ───────────────────────────────────────────────────────────────────────────────────────────
      sbx_1234567890abcdef  ○ created    1 × GAME-JP 3000  2,970 JPY  0 s  po-3       environment
      sbx_1234567890abcdef  … confirmed  1 × GAME-US 25    25.00 USD  0 s  po-1       environment
      ",
      }
    `)
    expect(await shop.asked()).toBe(before)
  })

  test('in JSON says all of it, times as ISO texts', async () => {
    const { shop, last } = await filled()
    const [newest] = await listed(shop)
    expect(newest).toEqual({
      orderId: last,
      reference: 'po-3',
      state: 'created',
      profile: 'environment',
      origin: shop.environment.ORDERCTL_BASE_URL,
      wallet: 'JPY',
      total: 2970,
      products: [{ sku: 'GAME-JP', productType: 'fixed', quote: 3000, quantity: 1 }],
      placedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      changedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      batch: null,
      by: { role: null, user: expect.any(String), host: expect.any(String) },
      stale: false,
    })
  })

  test.each([
    [['--state', 'refused'], ['po-2']],
    [['--unfinished'], ['po-3', 'po-1']],
    [['--reference', 'po-1'], ['po-1']],
    [
      ['--since', '1h', '--all'],
      ['po-3', 'po-2', 'po-1'],
    ],
    [['--since', '0'], []],
    [
      ['--since', '2w'],
      ['po-3', 'po-1'],
    ],
    [
      ['--since', '2026-01-01'],
      ['po-3', 'po-1'],
    ],
    [
      ['--since', '2026-01-01T10:30'],
      ['po-3', 'po-1'],
    ],
    [['--since', '9999-12-31 23:00Z'], []],
    [['--limit', '1'], ['po-3']],
    [['--profile', 'sandbox'], []],
  ])('%j', async (flags, references) => {
    const { shop } = await filled()
    const later = { ...realClock, now: () => Date.now() + 5 }
    const { stdout } = await shop.atTerminal(['list', '--json', ...flags], { terminals: [], clock: later })
    expect(JSON.parse(stdout).map(({ reference }: { reference: string }) => reference)).toEqual(references)
  })

  test('--refresh fetches what is not final', async () => {
    const { shop, first } = await filled()
    await shop.advance('5s')
    expect((await listed(shop, '--reference', 'po-1'))[0]).toMatchObject({ state: 'confirmed' })
    expect((await listed(shop, '--reference', 'po-1', '--refresh'))[0]).toMatchObject({
      orderId: first,
      state: 'successful',
    })
  })

  test('--refresh of an account that is not there warns, and lists', async () => {
    const { shop } = await filled()
    const env = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
    const { exit, stdout, stderr } = await shop.run(['list', '--refresh', '-q'], { env })
    expect({ exit, lines: stdout.trim().split('\n').length }).toEqual({ exit: 4, lines: 2 })
    expect(stderr).toMatch(/^warning: the orders of environment were not refreshed: /)
  })

  test('with -q prints the ids alone', async () => {
    const { shop, first, last } = await filled()
    expect(await shop.must('list', '-q')).toBe(`${last}\n${first}\n`)
  })

  test('of nothing says so', async () => {
    const shop = await customer()
    expect(await shop.run(['list'])).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'No matching orders\n',
    })
    expect(await listed(shop)).toEqual([])
  })
})

describe('which order', () => {
  test('@last and ref: stand for it wherever an id does', async () => {
    const shop = await customer()
    const first = idOf(await shop.must(...order, '-q'))
    const last = idOf(await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q'))
    expect(await shop.must('get', '@last', 'ref:po-1', '-q')).toBe(`${last}\n${first}\n`)
    expect(await shop.must('confirm', 'ref:po-1', '-q')).toBe(`${first}\n`)
    expect(await shop.must('watch', 'ref:po-1', '-q', '--interval', '100ms')).toBe(`${first}\n`)
    expect(await shop.must('redeem', 'ref:po-1', '--only', 'code', '--reveal')).toMatch(/^[\w-]+\n$/)
  })

  test.each([
    ['@last', 'you placed no orders'],
    ['ref:nobody', "no order with reference 'nobody'"],
  ])('%s is refused where there is none', async (text, none) => {
    const shop = await customer()
    expect(await shop.run(['get', text])).toEqual({
      exit: 2,
      stdout: '',
      stderr: `error: ${none} in this journal for the profile sandbox\ntry: orderctl list\n`,
    })
  })

  test('a reference of several is refused, with their ids', async () => {
    const shop = await customer()
    await shop.must(...order, '-q')
    await shop.must(...order, '--allow-duplicate', '-q')
    const { exit, stderr } = await shop.does('get', 'ref:po-1')
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: `error: ref:po-1 matches 2 orders: ${id} (created), ${id} (created)\ntry: Give the id of one order.\n`,
    })
  })

  test('@last is never an older order in the place of one whose id is not known', async () => {
    const shop = await customer(overSocket)
    await shop.must(...order, '-q')
    await shop.fault('create:reset-after')
    await shop.run(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
    const { exit, stderr } = await shop.run(['confirm', '@last', '--yes'])
    expect(exit).toBe(2)
    expect(stderr).toContain(
      'error: the order id of @last is unknown, because the answer to create was lost\ntry: Nothing was spent. Run create again, or choose another order: orderctl list\n',
    )
    expect(await shop.asked()).not.toContain('confirm')
  })

  test('one of another account is told from one that nobody knows', async () => {
    const shop = await customer(overSocket)
    const there = idOf(await shop.must(...order, '-q'))
    const { exit, stderr } = scrubbed(await shop.run(['get', there, '--profile', 'sandbox']))
    expect(exit).toBe(3)
    expect(stderr).toMatch(
      /^warning: the order sbx_1234567890abcdef was placed with the profile environment, at http:\S+, not with sandbox\n/,
    )
  })
})

describe('an argument that is nearly an order', () => {
  test('has spaces and a line break around it, as a pasted id has', async () => {
    const shop = await customer(overSocket)
    const id = idOf(await shop.must(...order, '--reference', 'po-2', '-q'))
    for (const words of [
      ['get', ` ${id}\n`],
      ['reconcile', `${id} `],
      ['get', ' ref:po-2 '],
    ]) {
      expect(await shop.run([...words, '-q'])).toMatchObject({ exit: 0, stdout: `${id}\n` })
    }
  })

  test('is a reference without ref:', async () => {
    const shop = await customer(overSocket)
    await shop.must(...order, '--reference', 'team lunch', '-q')
    expect(await shop.run(['redeem', 'team lunch'])).toEqual({
      exit: 3,
      stdout: '',
      stderr:
        "warning: team lunch is the reference of an order, not its id. To name the order: 'ref:team lunch'\n" +
        'error: order team lunch: the service refused: Not Found\ntry: Check the order id and the profile.\n',
    })
    expect(await shop.run(['reconcile', 'team lunch', '-q'])).toEqual({
      exit: 2,
      stdout: '',
      stderr:
        "error: no order 'team lunch' in this journal for the profile environment\ntry: It is a reference: 'ref:team lunch'\n",
    })
  })
})

test('@last is not an older order in the place of one that was refused', async () => {
  const shop = await customer(overSocket)
  await shop.must(...order, '-q')
  await shop.run(['create', '--product', 'TEST-OUT-OF-STOCK:10', '--wallet', 'USD', '--reference', 'po-2'])
  expect(await shop.run(['confirm', '@last', '--yes'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(
      'error: the last order (reference po-2) was never created: refused\ntry: Give an order id. Find it with: orderctl list\n',
    ),
  })
  expect(await shop.asked()).toBe('create create')
})

test('a profile whose address is spelt differently keeps its references', async () => {
  const shop = await customer(overSocket)
  const add = (address: string) =>
    shop.must(
      'profile',
      'add',
      'shop',
      '--base-url',
      address,
      '--credential-command',
      'printf the-key',
      '--replace',
    )
  const address = shop.environment.ORDERCTL_BASE_URL ?? ''
  const words = [...order, '--profile', 'shop']
  await add(address)
  await shop.must(...words, '-q')
  await add(address.replace('127.0.0.1', 'localhost'))
  const { exit, stderr } = await shop.run(words)
  expect(exit).toBe(11)
  expect(stderr).toMatch(
    /error: the reference po-1 is already used by the order \w+ \(created\); nothing was sent/,
  )
  expect(await shop.asked()).toBe('create get')
})

test('what comes of the first two references is looked at before the third is refused', async () => {
  const shop = await customer(overSocket)
  for (const more of [[], ['--allow-duplicate']]) await shop.must(...order, ...more, '-q')
  await shop.advance('11m')
  expect((await shop.run([...order, '-q'])).exit).toBe(0)
})

test('a service that says never by a very large number is listed all the same', async () => {
  const shop = await customer(overSocket)
  const waiting = idOf(await shop.must(...order, '-q'))
  const database = new DatabaseSync(journalOf(shop))
  database.exec(`UPDATE orders SET expires_at = ${Number.MAX_SAFE_INTEGER}`)
  database.close()
  expect((await listed(shop))[0]).toMatchObject({ orderId: waiting, expiresAt: null })
  expect((await shop.run(['reconcile', '--json'])).exit).toBe(0)
})

test.each([
  ['get', '--reveal', '-q'],
  ['get', '--reveal', '--json', '--fields', 'state'],
  ['get', '--reveal', '--explain'],
  ['redeem', '--reveal', '-q'],
  ['redeem', '--reveal', '--only', 'nothing'],
])('what shows no code is no reveal: %s %s %s', async (command, ...flags) => {
  const shop = await customer()
  const bought = await shop.ended('GAME-US:25')
  await shop.run([command, bought, ...flags])
  expect(JSON.parse(await shop.must('list', '--reveals', '--json'))).toEqual([])
  await shop.must('get', bought, '--reveal')
  expect(JSON.parse(await shop.must('list', '--reveals', '--json'))).toHaveLength(1)
})

test('each reveal is noted: who, when, which order, which SKUs; never the code', async () => {
  const shop = await customer()
  const bought = await shop.ended('GAME-US:25')
  await shop.must('redeem', bought)
  const code = await shop.must('redeem', bought, '--only', 'code', '--reveal')
  await shop.must('get', bought, '--reveal', '--json')
  const { exit, stdout } = await shop.does('list', '--reveals')
  expect({ exit, stdout: `\n${stdout}` }).toMatchInlineSnapshot(`
    {
      "exit": 0,
      "stdout": "
    WHEN                          WHO     HOW     ORDER                 SKUS     PROFILE
    ────────────────────────────────────────────────────────────────────────────────────
    YYYY-MM-DD hh:mm:ss UTC, now  tester  reveal  sbx_1234567890abcdef  GAME-US  sandbox
    YYYY-MM-DD hh:mm:ss UTC, now  tester  reveal  sbx_1234567890abcdef  GAME-US  sandbox
    ",
    }
  `)
  expect(JSON.parse(await shop.must('list', '--reveals', '--json'))).toMatchObject([
    { orderId: bought, skus: ['GAME-US'], who: 'tester', how: 'reveal' },
    { orderId: bought },
  ])
  for (const name of ['', '-wal', '-shm']) {
    if (existsSync(journalOf(shop) + name))
      expect(readFileSync(journalOf(shop) + name)).not.toContain(code.trim())
  }
})

describe('a journal that cannot be used', () => {
  const damaged = async () => {
    const shop = await customer(overSocket)
    const waiting = idOf(await shop.must(...order, '-q'))
    writeFileSync(journalOf(shop), 'not a database at all')
    return { shop, waiting }
  }

  test.each([
    ['create', () => [...order, '--reference', 'other']],
    ['confirm', (waiting: string) => ['confirm', waiting, '--yes']],
    ['list', () => ['list']],
    ['reconcile', () => ['reconcile']],
    ['get @last', () => ['get', '@last']],
  ])('keeps %s from doing anything', async (_name, words) => {
    const { shop, waiting } = await damaged()
    const before = await shop.asked()
    const { exit, stderr } = await shop.run(words(waiting))
    expect({ exit, stderr: stderr.replace(/^Using .*\n/, '') }).toEqual({
      exit: 9,
      stderr: `error: ${journalOf(shop)} is not a database\ntry: It was left untouched. If you have a backup, restore it. If you move it away, orderctl forgets its orders and cannot prevent a second purchase.\n`,
    })
    expect(await shop.asked()).toBe(before)
    expect(readFileSync(journalOf(shop), 'utf8')).toBe('not a database at all')
  })

  test.each(['get', 'watch', 'redeem'])('leaves %s at work, which says so once', async (command) => {
    const { shop, waiting } = await damaged()
    await shop.calls.confirm(waiting)
    await shop.advance('5s')
    const { exit, stdout, stderr } = await shop.run([command, waiting])
    expect(exit).toBe(0)
    expect(stdout).not.toBe('')
    expect(stderr.match(/warning: .* is not a database/g)).toHaveLength(1)
  })

  test('in a folder that cannot be made keeps create from sending', async () => {
    const shop = await customer(overSocket)
    const env = { ORDERCTL_STATE_DIR: '/proc/nowhere/orderctl' }
    expect((await shop.run(order, { env })).exit).toBe(9)
    expect(await shop.asked()).toBe('')
  })

  test('is nothing to a read where there is none: it is not made', async () => {
    const shop = await customer(overSocket)
    const known = await shop.created('GAME-US:25')
    expect((await shop.run(['get', known])).stderr).toBe('')
    expect(existsSync(journalOf(shop))).toBe(false)
  })
})

test('the journal is readable for its owner alone, and its folder too', async () => {
  const shop = await customer(overSocket)
  await shop.must(...order, '-q')
  expect(statSync(journalOf(shop)).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(journalOf(shop))).mode & 0o777).toBe(0o700)
})

test('what may be secret in a webhook is not kept, nor a key', async () => {
  const shop = await customer(overSocket)
  await shop.must(...order, '--webhook-url', 'http://127.0.0.1:9/canary-path?token=canary-token', '-q')
  const kept = readFileSync(journalOf(shop), 'latin1')
  expect(kept).toContain('po-1')
  expect(kept).not.toContain('canary-')
  expect(kept).not.toContain(shop.environment.ORDERCTL_API_KEY)
})

test('a clock that is far from the service’s is told of, and expiry is judged by the service’s', async () => {
  const shop = await customer(overSocket)
  const waiting = idOf(await shop.must(...order, '-q'))
  const wrong = { ...realClock, now: () => Date.now() + 24 * 3_600_000 }
  const { exit, stderr } = await shop.atTerminal(['confirm', waiting, '--yes', '-q'], {
    terminals: [],
    clock: wrong,
  })
  expect(exit).toBe(0)
  expect(stderr).toContain(
    "warning: this machine's clock is 24 h ahead of the service's; orderctl uses the service's clock for expiry\n",
  )
})

test('whoever is asked may take too long: what has expired meanwhile is not sent', async () => {
  const shop = await customer(overSocket)
  const waiting = idOf(await shop.must(...order, '-q'))
  let ms = 0
  const clock = { ...realClock, monotonic: () => performance.now() + ms }
  const think = () => {
    ms = 11 * 60_000
    return true
  }
  const { exit, stderr } = await shop.atTerminal(['confirm', waiting], { clock, answers: [think] })
  expect({ exit, said: scrub(stderr) }).toEqual({
    exit: 10,
    said: expect.stringContaining(`error: the order ${id} has expired; it was not confirmed\n`),
  })
  expect(await shop.asked()).toBe('create get')
})
