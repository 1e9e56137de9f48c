// The service's state in SQLite: wallets, stock, and the ledger of charges and refunds.
import type { DatabaseSync } from 'node:sqlite'
import { toMinor } from '../contract/decimal.ts'
import { Failure } from '../errors.ts'
import { toFailure } from '../sqlite/failure.ts'
import { openDatabase } from '../sqlite/open.ts'
import type { Schema } from '../sqlite/schema.ts'
import { createTransactionRunner } from '../sqlite/transactions.ts'
import { createOrderIds } from './cards.ts'
import type { Catalogue } from './catalogue.ts'
import { openOrders, ordersSchema } from './stored-orders.ts'
import { deliveriesSchema, openDeliveries } from './webhooks/deliveries.ts'

// The constraints allow no negative balance, and at most one charge and one refund for each order.
export const schema: Schema = {
  name: 'state file',
  elsewhere: 'Name another state file',
  applicationId: 0x6f726453,
  version: 1629359313,
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

export type StoreOptions = {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly catalogue: Catalogue
  /** If undefined, a new state file gets `newSeed()`, and an existing one keeps its own. */
  readonly seed: string | undefined
  readonly newSeed: () => string
}

export const openStore = ({ file, catalogue, seed, newSeed }: StoreOptions) => {
  const database = openDatabase(file, schema)
  const transaction = createTransactionRunner(database)
  const { startWith, readSeed, forgetOffset, ...settings } = openSettings(database, file !== ':memory:')
  const { addWallet, ...wallets } = openWallets(database)
  const { addStock, ...stock } = openStock(database)

  const fill = (): void => {
    startWith(() => seed ?? newSeed())
    for (const [currency, amount] of catalogue.wallets) addWallet(currency, toMinor(currency, amount))
    for (const product of catalogue.products.values()) {
      if (product.stock !== undefined) addStock(product.sku, product.stock)
    }
  }
  const fillAndCheckSeed = (): string => {
    fill()
    const storedSeed = readSeed()
    if (seed === undefined || seed === storedSeed) return storedSeed
    throw new Failure('usage', `the state file ${file} has another seed`, {
      field: '--seed',
      fix: 'Omit --seed to use the seed of the file, or choose another file with --state.',
    })
  }
  let storedSeed: string
  try {
    storedSeed = transaction(fillAndCheckSeed)
  } catch (error) {
    database.close()
    throw toFailure(error, file, schema)
  }

  return {
    seed: storedSeed,
    transaction,
    ...settings,
    ...wallets,
    ...stock,
    orders: openOrders(database, createOrderIds(storedSeed)),
    deliveries: openDeliveries(database),
    /** Keeps the seed, so that the same orders get the same codes again. */
    reset: (): void =>
      transaction(() => {
        database.exec(
          'DELETE FROM deliveries; DELETE FROM ledger; DELETE FROM orders; DELETE FROM wallets; DELETE FROM stock;' +
            'UPDATE service SET clock_offset = 0, next_card = 0',
        )
        fill()
        forgetOffset()
      }),
    failureOf: (error: unknown): unknown => toFailure(error, file, schema),
    close: (): void => database.close(),
  }
}

const openSettings = (database: DatabaseSync, isShared: boolean) => {
  const insert = database.prepare('INSERT INTO service (id, seed) VALUES (1, ?) ON CONFLICT DO NOTHING')
  const seed = database.prepare('SELECT seed FROM service')
  const offset = database.prepare('SELECT clock_offset AS ms FROM service')
  // Read once if no other process can change it. Each response needs it twice, which would take 6 % of a get.
  let knownOffset: number | undefined
  const forgetOffset = (): void => {
    knownOffset = undefined
  }
  const advance = database.prepare('UPDATE service SET clock_offset = clock_offset + ?')
  const nextCard = database.prepare('SELECT next_card AS number FROM service')
  const setNextCard = database.prepare('UPDATE service SET next_card = ?')
  return {
    /** Calls `newSeed` only if the state file is new. */
    startWith: (newSeed: () => string): void => {
      if (seed.get() === undefined) insert.run(newSeed())
    },
    readSeed: (): string => String(seed.get()?.seed),
    readClockOffset: (): number => {
      if (isShared || knownOffset === undefined) knownOffset = Number(offset.get()?.ms)
      return knownOffset
    },
    forgetOffset,
    advanceClock: (ms: number): void => {
      advance.run(ms)
      forgetOffset()
    },
    /** Call both in one transaction, so that no other process uses the same card numbers. */
    readNextCard: (): number => Number(nextCard.get()?.number),
    setNextCard: (number: number): void => void setNextCard.run(number),
  }
}

const openWallets = (database: DatabaseSync) => {
  const add = database.prepare('INSERT INTO wallets VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const wallets = database.prepare('SELECT currency, opening, balance FROM wallets ORDER BY currency')
  const balance = database.prepare('SELECT balance FROM wallets WHERE currency = ?')
  const debit = database.prepare(
    'UPDATE wallets SET balance = balance - $amount WHERE currency = $wallet AND balance >= $amount',
  )
  const credit = database.prepare('UPDATE wallets SET balance = balance + $amount WHERE currency = $wallet')
  // Named parameters would take twice as long.
  const insertEntry = database.prepare('INSERT INTO ledger VALUES (?, ?, ?, ?, ?)')
  const book =
    (kind: 'charge' | 'refund') =>
    (number: number, wallet: string, amount: number, at: number): boolean => {
      if ((kind === 'charge' ? debit : credit).run({ wallet, amount }).changes === 0) return false
      insertEntry.run(number, kind, wallet, amount, at)
      return true
    }
  return {
    addWallet: (currency: string, amount: number): void => void add.run(currency, amount, amount),
    listWallets: () => wallets.all() as unknown as { currency: string; opening: number; balance: number }[],
    readBalance: (currency: string): number => Number(balance.get(currency)?.balance ?? 0),
    /** Returns false if the balance is too low. */
    charge: book('charge'),
    refund: book('refund'),
  }
}

const openStock = (database: DatabaseSync) => {
  const add = database.prepare('INSERT INTO stock VALUES (?, ?) ON CONFLICT DO NOTHING')
  const stock = database.prepare('SELECT sku, remaining FROM stock ORDER BY sku')
  const remaining = database.prepare('SELECT remaining FROM stock WHERE sku = ?')
  const take = database.prepare(
    'UPDATE stock SET remaining = remaining - $units WHERE sku = $sku AND remaining >= $units',
  )
  return {
    addStock: (sku: string, units: number): void => void add.run(sku, units),
    listStock: () => stock.all() as unknown as { sku: string; remaining: number }[],
    /** Undefined if the stock is unlimited. */
    readStock: (sku: string): number | undefined => remaining.get(sku)?.remaining as number | undefined,
    /** Returns false if the stock is too low. */
    takeStock: (sku: string, units: number): boolean =>
      remaining.get(sku) === undefined || take.run({ sku, units }).changes > 0,
  }
}
