// The service's state in SQLite: wallets, stock, and the ledger of charges and refunds.
import { toMinor } from '../contract/money/decimal.ts'
import { Failure } from '../errors.ts'
import { type Schema, toFailure } from '../sqlite/failure.ts'
import { openDatabase } from '../sqlite/open.ts'
import { createTransactionRunner } from '../sqlite/transactions.ts'
import { createOrderIds } from './cards.ts'
import type { Catalogue } from './catalogue.ts'
import { openOrders, ordersSchema } from './stored-orders.ts'
import { deliveriesSchema, openDeliveries } from './webhooks/deliveries.ts'

// The constraints allow no negative balance, and at most one charge and one refund for each order.
export const schema: Schema = {
  name: 'state file',
  elsewhere: 'Choose a different state file',
  applicationId: 0x6f726453,
  version: 398966481,
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
  // Read once if no other process can change it. Each response needs it twice, which would take 6 % of a get.
  let knownOffset: number | undefined
  // A create runs these. The store of tagged templates would take longer.
  const balance = database.prepare('SELECT balance FROM wallets WHERE currency = ?')
  const stock = database.prepare('SELECT remaining FROM stock WHERE sku = ?')
  const book = (kind: 'charge' | 'refund', number: number, wallet: string, amount: number, at: number) =>
    sql.run`INSERT INTO ledger VALUES (${number}, ${kind}, ${wallet}, ${amount}, ${at})`

  return {
    seed: storedSeed,
    transaction,
    orders: openOrders(database, createOrderIds(storedSeed)),
    deliveries: openDeliveries(database),

    readClockOffset: (): number => {
      if (file !== ':memory:' || knownOffset === undefined)
        knownOffset = Number(sql.get`SELECT clock_offset AS ms FROM service`?.ms)
      return knownOffset
    },
    advanceClock: (ms: number): void => {
      sql.run`UPDATE service SET clock_offset = clock_offset + ${ms}`
      knownOffset = undefined
    },

    /** Call both in one transaction, so that no other process uses the same card numbers. */
    readNextCard: (): number => Number(sql.get`SELECT next_card AS number FROM service`?.number),
    setNextCard: (number: number): void => void sql.run`UPDATE service SET next_card = ${number}`,

    listWallets: () =>
      sql.all`SELECT currency, opening, balance FROM wallets ORDER BY currency` as {
        currency: string
        opening: number
        balance: number
      }[],
    readBalance: (currency: string): number => Number(balance.get(currency)?.balance ?? 0),
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
    readStock: (sku: string) => stock.get(sku)?.remaining as number | undefined,
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
        knownOffset = undefined
      }),
    failureOf: (error: unknown): unknown => toFailure(error, file, schema),
    close: (): void => database.close(),
  }
}
