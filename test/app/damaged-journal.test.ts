// A journal with a damaged row: every other order is still there, and a warning says which order is damaged.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { runWithoutTriggers } from '../support/without-triggers.ts'
import { openWorld, order, type World } from '../support/world.ts'

const idOf = async (shop: World, reference: string): Promise<string> =>
  (
    await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '-q')
  ).trim()

/** Changes the file as only damage can: without the checks of its tables. */
const damageFile = (shop: World, sql: string): void => {
  const file = path.join(shop.home, 'state', 'journal.db')
  const change = (use: (database: DatabaseSync) => void): void => {
    using database = new DatabaseSync(file, { defensive: false, enableForeignKeyConstraints: false })
    use(database)
  }
  const kept = `CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'`
  const relaxed = `UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'TEXT NOT NULL', 'TEXT'), 'INTEGER NOT NULL', 'INTEGER'), ') STRICT', ')')
    WHERE name IN ('orders', 'calls', 'reveals', 'batch_rows')`
  const restored = `UPDATE sqlite_schema SET sql = (SELECT sql FROM kept WHERE kept.name = sqlite_schema.name)
    WHERE name IN (SELECT name FROM kept)`
  change((database) => database.exec(`PRAGMA writable_schema = ON; ${kept}; ${relaxed}`))
  change((database) => {
    database.exec('PRAGMA ignore_check_constraints = ON')
    runWithoutTriggers(database, sql)
  })
  change((database) => database.exec(`PRAGMA writable_schema = ON; ${restored}; DROP TABLE kept`))
}

/** Three orders, of which the one in the middle is damaged. */
const damagedShop = async (sql: string) => {
  const shop = await openWorld()
  const ids = []
  for (const reference of ['first', 'damaged', 'last']) ids.push(await idOf(shop, reference))
  damageFile(shop, sql)
  const [first = '', damaged = '', last = ''] = ids
  return { shop, first, damaged, last }
}

/** Time goes on while the orders are asked for. */
const past = /^(confirmed|processing|successful)$/

const orderWith = (set: string): string => `UPDATE orders SET ${set} WHERE number = 2`
const huge = '1152921504606846976'

const cases: [name: string, sql: string, columns: string][] = [
  ['a request that is cut off', orderWith(`request = '{"productList":[{"sku"'`), 'request'],
  ['a request without products', orderWith(`request = '{}'`), 'request'],
  ['a product without its quote', orderWith(`request = '{"productList":[{"sku":"A"}]}'`), 'request'],
  ['an integer above 2^53', orderWith(`changed_at = ${huge}`), 'changed_at'],
  ['a time that no calendar has', orderWith('placed_at = -9000000000000000'), 'placed_at'],
  ['a time that is text', orderWith(`placed_at = 'yesterday'`), 'placed_at'],
  ['a time that is missing', orderWith('placed_at = NULL'), 'placed_at'],
  ['a reference that is bytes', orderWith(`reference = x'ff00'`), 'reference'],
  ['a standing that is missing', orderWith('standing = NULL'), 'standing'],
  ['a charge that is no amount', orderWith(`charged = '25.00 USD'`), 'charged'],
]

test.each(cases)('with %s', async (_name, sql, columns) => {
  const { shop, first, damaged, last } = await damagedShop(sql)
  const warning = `the order ${damaged} (entry 2) is damaged in the journal: cannot read ${columns}`
  // The TAB key offers the others, and prints nothing else.
  for (const [words, wanted] of [
    [
      ['get', ''],
      [first, last],
    ],
    [
      ['list', '--reference', ''],
      ['first', 'last'],
    ],
    [['create', '--product', ''], ['GAME-US']],
  ] as const) {
    const { exit, stdout, stderr } = await shop.run(['__complete', '--', ...words])
    expect([exit, stderr]).toEqual([0, ''])
    for (const each of wanted) expect(stdout).toContain(each)
  }
  // @last is found, and so is the damaged order by its id.
  expect(await shop.must('get', '@last', '-q')).toBe(`${last}\n`)
  expect(await shop.must('get', damaged, '-q')).toBe(`${damaged}\n`)
  for (const words of [['list'], ['list', '--json'], ['list', '--refresh']]) {
    const { exit, stdout, stderr } = await shop.run(words)
    expect(stderr).toContain(warning)
    expect(stderr.match(/is damaged in the journal/g)).toHaveLength(1)
    expect(exit).toBe(0)
    for (const id of [first, damaged, last]) expect(stdout).toContain(id)
  }
  // reconcile settles the others.
  for (const id of [first, last]) await shop.calls.confirm(id)
  const { stdout, stderr } = await shop.run(['reconcile', '--json'])
  // SQL takes a missing standing for one that is over.
  const warned = columns === 'standing' ? 0 : 1
  expect(stderr.match(/"[^"]* \(entry 2\) is damaged in the journal: /g) ?? []).toHaveLength(warned)
  const found = JSON.parse(stdout) as { id: string; state: string }[]
  for (const id of [first, last]) expect(found.find((each) => each.id === id)?.state).toMatch(past)
})

describe('what cannot be read', () => {
  const unreadable = orderWith(`placed_at = ${huge}, request = 'x', expires_at = ${huge}`)

  test('is null in JSON', async () => {
    const { shop, damaged } = await damagedShop(unreadable)
    const all = JSON.parse(await shop.must('list', '--json')) as Record<string, unknown>[]
    expect(all.find(({ id }) => id === damaged)).toMatchObject({
      ...{ reference: 'damaged', state: 'created', total: 25 },
      ...{ placedAt: null, expiresAt: null, products: [{ sku: 'GAME-US', quote: 25, quantity: 1 }] },
    })
  })

  test('is a question mark on the screen', async () => {
    const { shop, damaged } = await damagedShop(unreadable)
    const line = (await shop.must('list')).split('\n').find((each) => each.startsWith(damaged))
    expect(line).toMatch(/damaged +○ created +1 × GAME-US 25 +25\.00 USD +\? +\S+$/)
  })

  test('is a question mark beside the TAB key', async () => {
    const { shop, damaged } = await damagedShop(unreadable)
    expect(await shop.must('__complete', '--', 'get', damaged.slice(0, -1))).toContain('created, ?, damaged')
  })
})

test('a damaged row that cannot be written stops no other from being settled', async () => {
  const { shop, first, damaged, last } = await damagedShop(orderWith(`placed_at = 'yesterday'`))
  for (const id of [first, damaged, last]) await shop.calls.confirm(id)
  const { exit, stdout } = await shop.run(['reconcile', '--json'])
  expect(exit).toBe(9)
  const found = JSON.parse(stdout).map(({ id, state, problem }: Record<string, unknown>) => [
    ...[id, state, typeof problem],
  ])
  expect(found.toSorted()).toEqual(
    [
      [first, 'confirmed', 'object'],
      [damaged, 'created', 'string'],
      [last, 'confirmed', 'object'],
    ].toSorted(),
  )
})

test.each([
  ['a deadline above 2^53', `until = ${huge}`, 'until'],
  ['an outcome that does not exist', "outcome = 'dome'", 'outcome'],
  ['an operation that is missing', 'operation = NULL', 'operation'],
])('a call with %s leaves its order to be reconciled, and others too', async (_name, set, column) => {
  const { shop, first, damaged, last } = await damagedShop(`UPDATE calls SET ${set} WHERE order_number = 2`)
  const { stdout, stderr } = await shop.run(['reconcile', '--json'])
  expect(stderr).toContain(`"a call of entry 2 is damaged in the journal: cannot read ${column}"`)
  expect(stderr.match(/is damaged in the journal/g)).toHaveLength(1)
  const found = JSON.parse(stdout).map(({ id }: { id: string }) => id)
  expect(found.toSorted()).toEqual([first, damaged, last].toSorted())
})

test.each([
  ['products', "skus = '{'", 'skus'],
  ['a time', `at = ${huge}`, 'at'],
  ['a user', 'who = NULL', 'who'],
])('a reveal with %s that cannot be read hides no other reveal', async (_name, set, column) => {
  const shop = await openWorld()
  const ids = [await shop.ended('GAME-US:25'), await shop.ended('GAME-US:25')]
  for (const id of ids) await shop.must('redeem', id, '--reveal')
  damageFile(shop, `UPDATE reveals SET ${set} WHERE number = 1`)
  const { exit, stdout, stderr } = await shop.run(['list', '--reveals', '--json'])
  expect([exit, stderr]).toEqual([
    0,
    `{"warnings":["a reveal of the order ${ids[0]} is damaged in the journal: cannot read ${column}"]}\n`,
  ])
  expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  expect(stdout).not.toContain('damage')
  for (const id of ids) expect(await shop.must('list', '--reveals')).toContain(id)
})

describe('a confirmed order', () => {
  const buy = (shop: World, reference: string) =>
    shop.must(
      ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
      ...['--confirm', '-q'],
    )
  const open = async (sql: string) => {
    const shop = await openWorld()
    const ids = [await buy(shop, 'first'), await buy(shop, 'damaged'), await buy(shop, 'last')]
    damageFile(shop, sql)
    return { shop, warning: (columns: string) => warningOf(ids[1]?.trim() ?? '', columns) }
  }
  const warningOf = (id: string, columns: string): string =>
    `warning: the order ${id} (entry 2) is damaged in the journal: cannot read ${columns}\n`

  test.each([
    ['total', '1.2.3'],
    ['total', '025'],
    ['total', '25.'],
    ['total', '25 USD'],
    ['total', '-1'],
    ['charged', '1e99999'],
    ['charged', ''],
  ])('whose %s is %j is named by report, and not added up', async (column, value) => {
    const { shop, warning } = await open(orderWith(`${column} = '${value}'`))
    const { exit, stdout, stderr } = await shop.run(['report', '--by', 'wallet', '--csv'])
    expect([exit, stderr]).toEqual([0, warning(column)])
    expect(stdout).toContain('\n"USD","USD","2","2","0","0","50",')
  })

  test.each(["total = '25 USD'", 'counts = NULL', 'counts = -1'])(
    'with %s is read again by reconcile, and exceeds every budget until then',
    async (set) => {
      const shop = await openWorld()
      await buy(shop, 'first')
      const damaged = (await buy(shop, 'damaged')).trim()
      await shop.advance('5s')
      await shop.must('reconcile')
      damageFile(shop, orderWith(set))
      const isMissing = set.startsWith('counts')
      await shop.must('profile', 'limits', '--budget', '1000USD/day')
      const limited = await shop.run([...order, '--confirm'])
      expect(limited.exit).toBe(isMissing ? 12 : 0)
      if (isMissing)
        expect(limited.stderr).toContain(
          'the journal contains a damaged amount for an order that counts against the limit',
        )
      await shop.must('reconcile', damaged)
      expect(shop.journal('SELECT total, counts FROM orders WHERE number = 2')).toEqual([
        { total: '25', counts: 25_000_000 },
      ])
      expect((await shop.run(['confirm', 'ref:po-1', '--idempotent', '--yes'])).exit).toBe(0)
    },
  )

  test('whose products cannot be read is named by report, and counts without a product', async () => {
    const { shop, warning } = await open(orderWith(`products = '[[1]]'`))
    const { exit, stdout, stderr } = await shop.run(['report', '--by', 'product', '--csv'])
    expect([exit, stderr]).toEqual([0, warning('products')])
    expect(stdout).toContain('\n"GAME-US","USD","2","2","0","0","50",')
    expect(stdout).toContain('\n"(unknown)","USD","1","1","0","0","25",')
  })

  test('stops no batch show', async () => {
    const shop = await openWorld()
    const rows = shop.file('sku,quote\nGAME-US,25\n', 'rows.csv')
    await shop.must('batch', 'run', rows, '--name', 'gifts', '--wallet', 'USD', '--max-total', '30')
    damageFile(shop, "UPDATE orders SET total = '1e99999', charged = 'x', products = '['")
    for (const words of [['show', 'gifts'], ['show', 'gifts', '--rows'], ['list']])
      expect(await shop.run(['batch', ...words])).toMatchObject({ exit: 0 })
  })
})

test('with a row of a batch whose cells are cut off, which an export shows as empty', async () => {
  const shop = await openWorld()
  const file = path.join(shop.home, 'orders.csv')
  writeFileSync(file, 'name,sku,quote,quantity\nAda,GAME-US,25,1\n')
  await shop.must('batch', 'run', file, '--wallet', 'USD', '--name', 'gifts', '--max-total', '100', '--yes')
  damageFile(shop, `UPDATE batch_rows SET cells = '["Ad'`)
  const { exit, stderr } = await shop.run(['batch', 'export', 'gifts', path.join(shop.home, 'codes.csv')])
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining('the row 0 of a batch is damaged in the journal: cannot read cells'),
  ])
})
