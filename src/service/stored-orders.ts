// The table of orders, and its queries.
import type { DatabaseSync } from 'node:sqlite'
import type { OrderIds } from './cards.ts'
import type { ForcedOutcome, OutcomeLine, Schedule } from './lifecycle.ts'

// The id has no index, because the number follows from it. An index over random ids would slow each create down.
export const ordersSchema = `
  CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
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

type NewOrder = Pick<OrderRow, (typeof newColumns)[number]>

export const readLines = (row: OrderRow): StoredLine[] => JSON.parse(row.lines)

export const openOrders = (database: DatabaseSync, ids: OrderIds) => {
  const sql = database.createTagStore()
  // A create runs these. The store of tagged templates would take longer.
  const nextNumber = database.prepare('SELECT coalesce(max(number), 0) + 1 AS number FROM orders')
  const insert = database.prepare(
    `INSERT INTO orders (${newColumns.join()}) VALUES (${newColumns.map(() => '?').join()})`,
  )
  const byId = database.prepare('SELECT * FROM orders WHERE number = ? AND id = ?')
  // node:sqlite takes 40 % longer to build an object of so many columns.
  byId.setReturnArrays(true)
  const columns = byId.columns().map(({ name }) => name)
  const asRows = (rows: unknown): OrderRow[] => rows as OrderRow[]

  return {
    /** Call this in the transaction that inserts the order, so that no other process takes the number. */
    findNextNumber: (): number => Number(nextNumber.get()?.number),
    createId: ids.create,
    insert: (order: NewOrder): void => {
      insert.run(...newColumns.map((column) => order[column]))
    },
    find: (id: string): OrderRow | undefined => {
      const values = byId.get(ids.findNumber(id), id) as unknown as readonly unknown[] | undefined
      if (values === undefined) return undefined
      const row: Record<string, unknown> = {}
      for (const [index, column] of columns.entries()) row[column] = values[index]
      return row as OrderRow
    },

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
