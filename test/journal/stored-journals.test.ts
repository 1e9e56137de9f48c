// Journals of earlier versions of orderctl: each opens with all its rows and stays usable.
import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isUnproven } from '../../src/journal/entry.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { schema } from '../../src/journal/schema.ts'
import { repairFirstJournal } from '../../src/journal/steps/first-schema.ts'
import { openDatabase } from '../../src/sqlite/open.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { openWorld } from '../support/world.ts'
import { createBatchDesk } from './batches/batch-desk.ts'

const folder = path.join(import.meta.dirname, 'fixtures')
const tables = ['orders', 'calls', 'states', 'reveals']

const openStored = (name: string) => {
  const scratch = openScratch()
  copyFileSync(path.join(folder, `${name}.db`), scratch.file)
  return scratch
}

const rowsIn = (database: DatabaseSync) =>
  Object.fromEntries(tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]))

/** The statements that made its tables and indexes, without comments, quotes and layout. */
const statementsIn = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ sql }) =>
      String(sql)
        .replace(/--.*$/gm, '')
        .replace(/["\s]+/g, ' ')
        .replaceAll(' ,', ',')
        .trim(),
    )
    .toSorted()

const statementsOf = (...sql: string[]): string[] => {
  using database = new DatabaseSync(':memory:')
  for (const each of sql) database.exec(each)
  return statementsIn(database)
}

test('the first step is still the schema of version 1', () => {
  const [first] = schema.steps
  if (typeof first !== 'string') throw new Error('the first step is no longer SQL')
  expect(statementsOf(first)).toEqual(statementsOf(readFileSync(path.join(folder, 'version-1.sql'), 'utf8')))
  using stored = openStored('version-1')
  expect(readDatabase(stored.file, statementsIn)).toEqual(statementsOf(first))
})

test.each([
  ['two', 2],
  ['three', 3],
])('the first %s steps are still the schema of that version', (_title, version) => {
  using database = new DatabaseSync(':memory:')
  for (const step of schema.steps.slice(0, version)) {
    if (typeof step === 'string') database.exec(step)
    else step(database)
  }
  const released = statementsOf(readFileSync(path.join(folder, `version-${version}.sql`), 'utf8'))
  expect(statementsIn(database)).toEqual(released)
  using stored = openStored(`version-${version}`)
  expect(readDatabase(stored.file, statementsIn)).toEqual(released)
})

describe('a journal of the first orderctl', () => {
  const versionOne = { ...schema, readBigInts: false, steps: schema.steps.slice(0, 1) }
  const repairing = { ...versionOne, steps: [...versionOne.steps, repairFirstJournal] }

  test('lacks a column', () => {
    using stored = openStored('first')
    expect(() =>
      readDatabase(stored.file, (database) => database.prepare('SELECT duplicate FROM orders')),
    ).toThrow('no such column')
  })

  test('is repaired: it has the tables of version 1 and all rows', () => {
    using stored = openStored('first')
    const { orders = [], ...others } = readDatabase(stored.file, rowsIn)
    expect(orders.length).toBeGreaterThan(20)
    using database = openDatabase(stored.file, repairing)
    expect(rowsIn(database)).toEqual({ orders: orders.map((row) => ({ ...row, duplicate: 0 })), ...others })
    expect(statementsIn(database)).toEqual(statementsOf(...versionOne.steps.map(String)))
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  test('is backed up first', () => {
    using stored = openStored('first')
    const before = readDatabase(stored.file, rowsIn)
    openDatabase(stored.file, repairing).close()
    expect(readDatabase(`${stored.file}.v1.backup`, rowsIn)).toEqual(before)
  })

  test('never reuses the number of an order', () => {
    using stored = openStored('first')
    using database = openDatabase(stored.file, repairing)
    const last = Number(database.prepare('SELECT max(number) AS last FROM orders').get()?.last)
    database.exec('DELETE FROM reveals; DELETE FROM states; DELETE FROM calls; DELETE FROM orders')
    const { lastInsertRowid } = database
      .prepare(
        "INSERT INTO orders (profile, origin, standing, placed_at, changed_at) VALUES ('', '', '', 1, 1)",
      )
      .run()
    expect(lastInsertRowid).toBe(last + 1)
  })

  test('is unchanged once it is repaired', () => {
    using stored = openStored('version-1')
    const before = readFileSync(stored.file)
    using database = new DatabaseSync(stored.file)
    repairFirstJournal(database)
    expect(database.prepare('SELECT total_changes() AS changes').get()).toEqual({ changes: 0 })
    expect(readFileSync(stored.file)).toEqual(before)
  })
})

describe.each(['first', 'version-1', 'version-2', 'version-3'])('the journal %s', (name) => {
  test('gets the tables of a new journal', async () => {
    using stored = openStored(name)
    await (await openJournal(stored.file)).close()
    using created = openScratch()
    await (await openJournal(created.file)).close()
    expect(readDatabase(stored.file, statementsIn)).toEqual(readDatabase(created.file, statementsIn))
    const check = (database: DatabaseSync) => [
      ...database.prepare('PRAGMA foreign_key_check').all(),
      ...database.prepare('PRAGMA integrity_check').all(),
    ]
    expect(readDatabase(stored.file, check)).toEqual([{ integrity_check: 'ok' }])
  })

  test('lists every order that it has', async () => {
    using stored = openStored(name)
    const { orders = [] } = readDatabase(stored.file, rowsIn)
    const journal = await openJournal(stored.file)
    const found = await journal.listOrders({ limit: 1_000 })
    await journal.close()
    const brief = found.map(({ number, orderId, reference, request, wallet, total, placedAt }) => [
      ...[number, orderId ?? null, reference, request ?? null, wallet, total ?? null, placedAt],
    ])
    expect(brief.toSorted((one, other) => Number(one[0]) - Number(other[0]))).toEqual(
      orders.map(({ number, order_id, reference, request, wallet, total, placed_at }) => [
        ...[number, order_id, reference, request, wallet, total, placed_at],
      ]),
    )
  })

  test('has every call and every reveal', async () => {
    using stored = openStored(name)
    const { orders = [], calls, reveals } = readDatabase(stored.file, rowsIn)
    const journal = await openJournal(stored.file)
    const found = await Promise.all(orders.map(({ number }) => journal.listCalls(Number(number))))
    expect(found.flat()).toHaveLength(calls?.length ?? 0)
    expect(await journal.listReveals({ limit: 100 })).toHaveLength(reveals?.length ?? 0)
    await journal.close()
  })

  test('accepts a new order, and its references stay reserved', async () => {
    const shop = await openWorld()
    copyFileSync(path.join(folder, `${name}.db`), path.join(shop.home, 'state', 'journal.db'))
    const listed = async () =>
      JSON.parse(await shop.must('list', '--all', '--json', '--limit', '1000')).length
    const before = await listed()
    const words = 'create --product GAME-US:25 --wallet USD -q --profile sandbox --reference'
    const order = words.split(' ')
    const held = await shop.run([...order, 'ref-7'])
    expect([held.exit === 0, held.stderr]).toEqual([false, expect.stringContaining('ref-7')])
    await shop.must(...order, 'a-new-one')
    expect([before, await listed()]).toEqual([26, 27])
  })
})

describe('the second step', () => {
  const opened = async () => {
    const stored = openStored('version-1')
    const journal = await openJournal(stored.file)
    onTestFinished(async () => {
      await journal.close()
      stored[Symbol.dispose]()
    })
    const stands = async (number: number) => {
      const { state: standing, confirmedAt } = (await journal.getOrder(number)) ?? { state: '' }
      const unproven = (await journal.listCalls(number)).filter(isUnproven).length
      return [standing, confirmedAt === undefined ? 'unconfirmed' : 'confirmed', unproven]
    }
    return { journal, stands }
  }

  test.each([
    ['a created order', 1, ['created', 'unconfirmed', 0]],
    ['an order whose confirm was refused, which is no proof', 3, ['created', 'unconfirmed', 1]],
    ['a confirmed order', 5, ['confirmed', 'confirmed', 0]],
    ['a processing order', 6, ['processing', 'confirmed', 0]],
    ['a failed order', 9, ['failed', 'confirmed', 0]],
    ['a confirmed order in an undocumented state', 11, ['under-review', 'confirmed', 0]],
    ['a create that was under way', 12, ['unanswered', 'unconfirmed', 0]],
    ['a create whose answer was lost', 13, ['unanswered', 'unconfirmed', 0]],
    ['a create whose answer had nothing but an id', 14, ['created', 'unconfirmed', 0]],
    ['a confirm that was under way', 15, ['unknown', 'unconfirmed', 1]],
    ['a confirm whose answer was lost', 16, ['unknown', 'unconfirmed', 1]],
    ['an expired order that was never confirmed', 17, ['expired', 'unconfirmed', 0]],
    ['an order whose confirm was refused as expired, which is no proof', 18, ['created', 'unconfirmed', 1]],
    ['an expired create without an answer', 19, ['expired', 'unconfirmed', 0]],
    ['an expired order whose confirm was settled', 20, ['expired', 'unconfirmed', 0]],
  ])('keeps what is known about %s', async (_title, number, wanted) => {
    const { stands } = await opened()
    expect(await stands(number)).toEqual(wanted)
  })

  test('assigns all spellings of an address to one account', async () => {
    const { journal } = await opened()
    const readAddress = async (number: number) => {
      const order = await journal.getOrder(number)
      return (await journal.getAccount(order?.account ?? 0))?.address
    }
    expect(await Promise.all([1, 6, 7, 16, 25].map(readAddress))).toEqual([
      'orders.example/v1',
      'localhost:8080',
      'sandbox:',
      'localhost:8080',
      'localhost:8080',
    ])
  })

  test('never reuses the number of an order, even of a deleted one', async () => {
    using stored = openStored('version-1')
    const database = new DatabaseSync(stored.file)
    database.exec('DELETE FROM states; DELETE FROM calls; DELETE FROM orders')
    database.close()
    const journal = await openJournal(stored.file)
    const begun = await journal.beginCreate({
      ...{ profile: 'shop', origin: 'https://orders.example', account: { address: 'orders.example' } },
      ...{ reference: 'r', request: '{}', wallet: 'USD', allowDuplicate: false, at: 1, until: 2 },
    })
    expect(begun).toMatchObject({ kind: 'started', order: 27 })
    await journal.close()
  })
})

describe('the fourth step', () => {
  const all = ['accounts', ...tables, 'batches', 'batch_rows', 'batch_cards']
  const allRowsIn = (database: DatabaseSync): Record<string, Record<string, unknown>[]> =>
    Object.fromEntries(all.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]))

  test('keeps every row of version 3', async () => {
    using stored = openStored('version-3')
    const before = readDatabase(stored.file, allRowsIn)
    await (await openJournal(stored.file)).close()
    const after = readDatabase(stored.file, allRowsIn)
    for (const table of all) {
      expect(after[table], table).toEqual(before[table]?.map((row) => expect.objectContaining(row)))
    }
  })

  test('reserves the totals of orders that are, or may be, confirmed', async () => {
    using stored = openStored('version-3')
    await (await openJournal(stored.file)).close()
    const rows = readDatabase(stored.file, (database) =>
      database
        .prepare(
          `SELECT number, confirmed_at, reserved_at, EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number
             AND operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused')) AS unproven
           FROM orders`,
        )
        .all(),
    )
    for (const { number, confirmed_at, reserved_at, unproven } of rows) {
      expect([number, reserved_at !== null]).toEqual([number, confirmed_at !== null || unproven === 1])
    }
    expect(rows.filter(({ reserved_at }) => reserved_at !== null).length).toBeGreaterThan(0)
  })

  test('reads the products of each order from its request', async () => {
    using stored = openStored('version-3')
    await (await openJournal(stored.file)).close()
    const rows = readDatabase(stored.file, (database) =>
      database
        .prepare('SELECT DISTINCT request, standing, products, cards, delivered, charged FROM orders')
        .all(),
    )
    const deliveredIn = { successful: [1, 2, 3], failed: [0, 0, 0], rejected: [0, 0, 0] }
    const toColumns = ({ request, standing }: (typeof rows)[number]) => {
      if (request === null) return { products: null, cards: null, delivered: null }
      const [coffee, game, delivered] = deliveredIn[standing as 'failed'] ?? [null, null, null]
      const products = [
        ['COFFEE', 'range', '0.1', 1, coffee, null],
        ['GAME-US', 'fixed', '25.5', 2, game, null],
      ]
      return { products: JSON.stringify(products), cards: 3, delivered }
    }
    expect(rows).toEqual(rows.map((row) => ({ ...row, ...toColumns(row), charged: null })))
    expect(new Set(rows.map(({ delivered }) => delivered))).toEqual(new Set([0, 3, null]))
  })

  test('continues the numbers of batches, and lets a budget stop a batch', async () => {
    using stored = openStored('version-3')
    const { save, batches } = createBatchDesk(await openJournal(stored.file))
    const { batch } = await save()
    expect(batch.number).toBe(5)
    await batches.stopBatch(4, 'budget' as 'cap', 9)
    expect(await batches.getBatch(4)).toMatchObject({ name: 'December', stopped: 'budget', maxTotal: '100' })
  })
})

describe('the third step', () => {
  const accountsIn = (database: DatabaseSync) => database.prepare('SELECT * FROM accounts').all()

  test('keeps every row of version 2, and no order belongs to a batch', async () => {
    using stored = openStored('version-2')
    const { orders = [], ...others } = readDatabase(stored.file, rowsIn)
    const accounts = readDatabase(stored.file, accountsIn)
    expect([orders.length, accounts.length]).toEqual([26, 4])
    await (await openJournal(stored.file)).close()
    const free: ReturnType<typeof rowsIn> = {
      orders: orders.map((order) => ({ ...order, batch: null, slot: null })),
      ...others,
    }
    const kept = readDatabase(stored.file, rowsIn)
    for (const table of tables)
      expect(kept[table]).toEqual(free[table]?.map((row) => expect.objectContaining(row)))
    expect(readDatabase(stored.file, accountsIn)).toEqual(accounts)
    expect(readDatabase(`${stored.file}.v2.backup`, rowsIn)).toEqual({ orders, ...others })
  })

  test('adds empty tables that a batch can be saved in', async () => {
    using stored = openStored('version-2')
    const { journal, batches, save, place, confirm } = createBatchDesk(await openJournal(stored.file))
    expect(await batches.listBatches({ limit: 9 })).toEqual([])
    expect(await save()).toMatchObject({ batch: { number: 1 }, isNew: true })
    await place(1, 'of the batch')
    expect(await confirm('of the batch')).toMatchObject({ kind: 'started', order: 27 })
    await journal.close()
  })
})
