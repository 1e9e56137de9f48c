// The service's state in SQLite: wallets, stock, the ledger of charges and refunds; orders and deliveries beside them.
import { toMinor } from '../contract/decimal.ts'
import { Failure } from '../errors.ts'
import { asFailure } from '../sqlite/failure.ts'
import { openDatabase } from '../sqlite/open.ts'
import { transactions } from '../sqlite/transactions.ts'
import type { Catalogue } from './catalogue.ts'
import { openOrders, ordersSchema } from './stored-orders.ts'
import { deliveriesSchema, openDeliveries } from './webhooks/deliveries.ts'

// What no defect may break is held by the tables: no balance below zero, one charge and one refund an order.
const schema = {
  name: 'state file',
  elsewhere: 'Name another state file',
  applicationId: 0x6f726453,
  steps: [
    `
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
  ],
}

export type Store = ReturnType<typeof openStore>

export type StoreOptions = {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly catalogue: Catalogue
  /** Undefined takes the seed that the state has, or `newSeed` where it is new. */
  readonly seed: string | undefined
  readonly newSeed: () => string
}

export const openStore = ({ file, catalogue, seed, newSeed }: StoreOptions) => {
  const database = openDatabase(file, schema)
  const transaction = transactions(database)
  const one = (sql: string) => database.prepare(sql)

  const start = one('INSERT INTO service (id, seed) VALUES (1, ?) ON CONFLICT DO NOTHING')
  const readSeed = one('SELECT seed FROM service')
  const offset = one('SELECT clock_offset AS ms FROM service')
  const advance = one('UPDATE service SET clock_offset = clock_offset + ?')
  const takeCards = one('UPDATE service SET next_card = next_card + ? RETURNING next_card AS next')
  const addWallet = one('INSERT INTO wallets VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const addStock = one('INSERT INTO stock VALUES (?, ?) ON CONFLICT DO NOTHING')
  const wallets = one('SELECT currency, opening, balance FROM wallets ORDER BY currency')
  const balance = one('SELECT balance FROM wallets WHERE currency = ?')
  const debit = one(
    'UPDATE wallets SET balance = balance - $amount WHERE currency = $wallet AND balance >= $amount',
  )
  const credit = one('UPDATE wallets SET balance = balance + $amount WHERE currency = $wallet')
  const enter = one('INSERT INTO ledger VALUES ($number, $kind, $wallet, $amount, $at)')
  const stock = one('SELECT sku, remaining FROM stock ORDER BY sku')
  const remaining = one('SELECT remaining FROM stock WHERE sku = ?')
  const takeStock = one(
    'UPDATE stock SET remaining = remaining - $units WHERE sku = $sku AND remaining >= $units',
  )

  const fill = (): void => {
    if (readSeed.get() === undefined) start.run(seed ?? newSeed())
    for (const [currency, amount] of catalogue.wallets) {
      const minor = toMinor(currency, amount)
      addWallet.run(currency, minor, minor)
    }
    for (const product of catalogue.products.values()) {
      if (product.stock !== undefined) addStock.run(product.sku, product.stock)
    }
  }
  const startWith = (): string => {
    fill()
    const kept = String(readSeed.get()?.seed)
    if (seed === undefined || seed === kept) return kept
    throw new Failure('usage', `the state file ${file} was started with another seed`, {
      field: '--seed',
      fix: 'Leave --seed out to go on with its own, or name another file with --state.',
    })
  }
  let kept: string
  try {
    kept = transaction(startWith)
  } catch (error) {
    database.close()
    throw asFailure(error, file, schema)
  }

  const book = (
    kind: 'charge' | 'refund',
    number: number,
    wallet: string,
    amount: number,
    at: number,
  ): boolean => {
    if ((kind === 'charge' ? debit : credit).run({ wallet, amount }).changes === 0) return false
    enter.run({ number, kind, wallet, amount, at })
    return true
  }

  return {
    seed: kept,
    transaction,
    orders: openOrders(database),
    deliveries: openDeliveries(database),
    clockOffset: (): number => Number(offset.get()?.ms),
    advanceClock: (ms: number): void => void advance.run(ms),
    /** The first of `count` card numbers that are nobody else's. */
    takeCards: (count: number): number => Number(takeCards.get(count)?.next) - count,
    wallets: () => wallets.all() as unknown as { currency: string; opening: number; balance: number }[],
    balance: (currency: string): number => Number(balance.get(currency)?.balance ?? 0),
    /** Whether the wallet could pay it. */
    charge: (number: number, wallet: string, amount: number, at: number) =>
      book('charge', number, wallet, amount, at),
    refund: (number: number, wallet: string, amount: number, at: number) =>
      book('refund', number, wallet, amount, at),
    stock: () => stock.all() as unknown as { sku: string; remaining: number }[],
    /** Undefined where there is no end of it. */
    remaining: (sku: string): number | undefined => remaining.get(sku)?.remaining as number | undefined,
    /** Whether there were enough. */
    takeStock: (sku: string, units: number): boolean =>
      remaining.get(sku) === undefined || takeStock.run({ sku, units }).changes > 0,
    /** Back to the first day, with the same seed: the same inputs give the same codes again. */
    reset: (): void =>
      transaction(() => {
        database.exec(
          'DELETE FROM deliveries; DELETE FROM ledger; DELETE FROM orders; DELETE FROM wallets; DELETE FROM stock;' +
            'UPDATE service SET clock_offset = 0, next_card = 0',
        )
        fill()
      }),
    failureOf: (error: unknown): unknown => asFailure(error, file, schema),
    close: (): void => database.close(),
  }
}
