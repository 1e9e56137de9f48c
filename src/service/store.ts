// The service's state in SQLite: orders, wallets, stock, and the ledger of charges and refunds.

import type { DatabaseSync } from 'node:sqlite'
import { toMinor } from '../contract/money/decimal.ts'
import { Failure } from '../errors.ts'
import { openDatabase, type Schema, toFailure } from '../sqlite/open.ts'
import { createTransactionRunner } from '../sqlite/transactions.ts'
import { createOrderIds } from './cards.ts'
import type { Catalogue } from './catalogue.ts'
import type { ForcedOutcome, OutcomeLine, Schedule } from './rules.ts'
import { deliveriesSchema, openDeliveries } from './webhooks.ts'

const ordersSchema = `
  CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    reference TEXT NOT NULL,
    wallet TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    webhook_url TEXT,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    processing_at INTEGER,
    final_at INTEGER,
    finished INTEGER NOT NULL DEFAULT 0,
    forced TEXT,
    hidden_gets INTEGER NOT NULL,
    lines TEXT NOT NULL,
    products TEXT NOT NULL,
    exchange_rates TEXT NOT NULL,
    invoice_total TEXT NOT NULL,
    invoice_records TEXT NOT NULL,
    redeem TEXT
  ) STRICT;
  CREATE INDEX orders_under_way ON orders (final_at) WHERE finished = 0 AND final_at IS NOT NULL;
`

export type StoredLine = OutcomeLine & {
  readonly quantity: number
  readonly quote: string
  readonly currency: string
  /** In minor units of the wallet's currency. */
  readonly charge: number
}

export type OrderRow = {
  readonly number: number
  readonly id: string
  readonly reference: string
  readonly wallet: string
  /** In minor units of the wallet's currency. */
  readonly total: number
  readonly webhook_url: string | null
  readonly state: string
  readonly created_at: number
  readonly expires_at: number
  readonly confirmed_at: number | null
  readonly processing_at: number | null
  readonly final_at: number | null
  readonly finished: 0 | 1
  readonly forced: ForcedOutcome | null
  /** How many of the next get requests fail with 'Not Found'. */
  readonly hidden_gets: number
  /** JSON of `StoredLine[]`. */
  readonly lines: string
  // The following fields are JSON, in the format of a get response.
  readonly products: string
  readonly exchange_rates: string
  readonly invoice_total: string
  readonly invoice_records: string
  readonly redeem: string | null
}

/** The columns of a new order. The others have defaults. */
const newColumns = [
  ...(['number', 'id', 'reference', 'wallet', 'total', 'webhook_url', 'state', 'created_at'] as const),
  ...(['expires_at', 'hidden_gets', 'lines', 'products', 'exchange_rates'] as const),
  ...(['invoice_total', 'invoice_records'] as const),
]

export const readOrderLines = (row: OrderRow): StoredLine[] => JSON.parse(row.lines)

const openOrders = (database: DatabaseSync, createId: (number: number) => string) => {
  const sql = database.createTagStore()
  const insert = database.prepare(
    `INSERT INTO orders (${newColumns.join()}) VALUES (${newColumns.map(() => '?').join()})`,
  )
  const asRows = (rows: unknown): OrderRow[] => rows as OrderRow[]

  return {
    /** Call this in the transaction that inserts the order, so that no other process takes the number. */
    findNextNumber: (): number =>
      Number(sql.get`SELECT coalesce(max(number), 0) + 1 AS number FROM orders`?.number),
    createId,
    insert: (order: Pick<OrderRow, (typeof newColumns)[number]>): void => {
      insert.run(...newColumns.map((column) => order[column]))
    },
    find: (id: string) => sql.get`SELECT * FROM orders WHERE id = ${id}` as OrderRow | undefined,

    listDue: (now: number) =>
      asRows(
        sql.all`SELECT * FROM orders WHERE finished = 0 AND final_at <= ${now} ORDER BY final_at LIMIT 100`,
      ),
    findNextDue: () =>
      (sql.get`SELECT min(final_at) AS at FROM orders WHERE finished = 0 AND final_at IS NOT NULL`?.at ??
        undefined) as number | undefined,
    listNewest: (limit: number, before = Number.MAX_SAFE_INTEGER) =>
      asRows(sql.all`SELECT * FROM orders WHERE number < ${before} ORDER BY number DESC LIMIT ${limit}`),
    startProcessing: (number: number): unknown =>
      sql.run`UPDATE orders SET state = 'processing' WHERE number = ${number} AND state = 'confirmed'`,
    confirm: (number: number, schedule: Schedule, lines: readonly StoredLine[]): unknown =>
      sql.run`
        UPDATE orders SET state = 'confirmed', confirmed_at = ${schedule.confirmedAt},
          processing_at = ${schedule.processingAt}, final_at = ${schedule.finalAt}, lines = ${JSON.stringify(lines)}
        WHERE number = ${number}`,
    finish: (number: number, state: string, redeem: string | null): unknown =>
      sql.run`UPDATE orders SET state = ${state}, finished = 1, redeem = ${redeem} WHERE number = ${number}`,
    force: (number: number, forced: ForcedOutcome, finalAt: number | null): unknown =>
      sql.run`UPDATE orders SET forced = ${forced}, final_at = ${finalAt} WHERE number = ${number}`,
    countHiddenGet: (number: number): unknown =>
      sql.run`UPDATE orders SET hidden_gets = hidden_gets - 1 WHERE number = ${number}`,
  }
}

// The constraints allow no negative balance, and at most one charge and one refund for each order.
export const schema: Schema = {
  name: 'state file',
  elsewhere: 'Choose a different state file',
  applicationId: 0x6f726453,
  version: 2081362771,
  createSql: () => `
    CREATE TABLE service (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      seed TEXT NOT NULL,
      clock_offset INTEGER NOT NULL DEFAULT 0,
      next_card INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE wallets (
      currency TEXT PRIMARY KEY,
      opening INTEGER NOT NULL CHECK (opening >= 0),
      balance INTEGER NOT NULL CHECK (balance >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE stock (
      sku TEXT PRIMARY KEY,
      remaining INTEGER NOT NULL CHECK (remaining >= 0)
    ) STRICT, WITHOUT ROWID;
    ${ordersSchema}
    CREATE TABLE ledger (
      order_number INTEGER NOT NULL REFERENCES orders,
      kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund')),
      currency TEXT NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 0),
      at INTEGER NOT NULL,
      PRIMARY KEY (order_number, kind)
    ) STRICT, WITHOUT ROWID;
    ${deliveriesSchema}
  `,
}

export type Store = ReturnType<typeof openStore>

/**
 * `file` is a path, or `:memory:`. If `seed` is undefined, a new state file gets `newSeed()`, and an existing one keeps its
 * own.
 */
export const openStore = (
  file: string,
  catalogue: Catalogue,
  seed: string | undefined,
  newSeed: () => string,
) => {
  const database = openDatabase(file, schema)
  const transaction = createTransactionRunner(database)
  const sql = database.createTagStore()

  const fill = (): void => {
    for (const [currency, amount] of catalogue.wallets) {
      const opening = toMinor(currency, amount)
      sql.run`INSERT INTO wallets VALUES (${currency}, ${opening}, ${opening}) ON CONFLICT DO NOTHING`
    }
    for (const { sku, stock } of catalogue.products.values())
      if (stock !== undefined) sql.run`INSERT INTO stock VALUES (${sku}, ${stock}) ON CONFLICT DO NOTHING`
  }
  const fillAndReadSeed = (): string => {
    fill()
    const stored = sql.get`SELECT seed FROM service`?.seed
    if (stored === undefined) {
      const newest = seed ?? newSeed()
      sql.run`INSERT INTO service (id, seed) VALUES (1, ${newest})`
      return newest
    }
    if (seed === undefined || seed === stored) return String(stored)
    throw new Failure('usage', `the state file ${file} has a different seed`, {
      field: '--seed',
      advice: 'Omit --seed to use the seed of the file, or choose a different file with --state.',
    })
  }
  let storedSeed: string
  try {
    storedSeed = transaction(fillAndReadSeed)
  } catch (error) {
    database.close()
    throw toFailure(error, file, schema)
  }
  const book = (kind: 'charge' | 'refund', number: number, wallet: string, amount: number, at: number) =>
    sql.run`INSERT INTO ledger VALUES (${number}, ${kind}, ${wallet}, ${amount}, ${at})`

  return {
    seed: storedSeed,
    transaction,
    orders: openOrders(database, createOrderIds(storedSeed)),
    deliveries: openDeliveries(database),

    readClockOffset: (): number => Number(sql.get`SELECT clock_offset AS ms FROM service`?.ms),
    advanceClock: (ms: number): unknown => sql.run`UPDATE service SET clock_offset = clock_offset + ${ms}`,

    /** Call both in one transaction, so that no other process uses the same card numbers. */
    readNextCard: (): number => Number(sql.get`SELECT next_card AS number FROM service`?.number),
    setNextCard: (number: number): void => void sql.run`UPDATE service SET next_card = ${number}`,

    listWallets: () =>
      sql.all`SELECT currency, opening, balance FROM wallets ORDER BY currency` as {
        currency: string
        opening: number
        balance: number
      }[],
    readBalance: (currency: string): number =>
      Number(sql.get`SELECT balance FROM wallets WHERE currency = ${currency}`?.balance ?? 0),
    /** Returns false if the balance is too low. */
    charge: (number: number, wallet: string, amount: number, at: number): boolean => {
      const { changes } = sql.run`
        UPDATE wallets SET balance = balance - ${amount} WHERE currency = ${wallet} AND balance >= ${amount}`
      if (changes === 0) return false
      book('charge', number, wallet, amount, at)
      return true
    },
    refund: (number: number, wallet: string, amount: number, at: number): void => {
      sql.run`UPDATE wallets SET balance = balance + ${amount} WHERE currency = ${wallet}`
      book('refund', number, wallet, amount, at)
    },

    listStock: () =>
      sql.all`SELECT sku, remaining FROM stock ORDER BY sku` as { sku: string; remaining: number }[],
    /** Undefined if the stock is unlimited. */
    readStock: (sku: string) =>
      sql.get`SELECT remaining FROM stock WHERE sku = ${sku}`?.remaining as number | undefined,
    /** Returns false if the stock is too low. */
    takeStock: (sku: string, units: number): boolean =>
      sql.get`SELECT 1 FROM stock WHERE sku = ${sku}` === undefined ||
      sql.run`UPDATE stock SET remaining = remaining - ${units} WHERE sku = ${sku} AND remaining >= ${units}`
        .changes > 0,

    /** Keeps the seed, so that the same orders get the same codes again. */
    reset: (): void =>
      transaction(() => {
        database.exec(
          'DELETE FROM deliveries; DELETE FROM ledger; DELETE FROM orders; DELETE FROM wallets; DELETE FROM stock;' +
            'UPDATE service SET clock_offset = 0, next_card = 0',
        )
        fill()
      }),
    failureOf: (error: unknown): unknown => toFailure(error, file, schema),
    close: (): void => database.close(),
  }
}
