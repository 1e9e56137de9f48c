// What a journal knows, with the numbers of its rows replaced by what they stand for.
import type { Row, Values } from '../../../src/journal/database/database.ts'

type Query = (sql: string, values?: Values) => Promise<Row[]>

const without = (row: Row, ...columns: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))

const sortRows = (rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (toText(one) < toText(other) ? -1 : 1))

const toText = (row: Row): string =>
  JSON.stringify(Object.entries(row).sort(), (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )

/** Times and numbers as numbers, so that SQLite and PostgreSQL are equal. */
const toPlain = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, typeof value === 'bigint' ? Number(value) : value]),
  )

export type OrderFacts = {
  readonly order: Row
  readonly calls: readonly Row[]
}

/** The facts of each order, by the number that `nameOf` gives it. */
export const readOrders = async (
  query: Query,
  nameOf: (number: number) => number | undefined,
): Promise<ReadonlyMap<number, OrderFacts>> => {
  const orders = await query(
    `SELECT orders.*, accounts.address, accounts.name AS account_name, os_user, host, batches.id AS batch_id
     FROM orders JOIN accounts ON accounts.number = orders.account LEFT JOIN actors ON actors.number = orders.actor
     LEFT JOIN batches ON batches.number = orders.batch`,
  )
  const calls = await query(
    'SELECT calls.*, os_user, host FROM calls LEFT JOIN actors ON actors.number = calls.actor ORDER BY calls.number',
  )
  const facts = new Map<number, OrderFacts>()
  for (const order of orders.map(toPlain)) {
    const number = Number(order.number)
    const name = nameOf(number)
    if (name === undefined) continue
    const own = (rows: readonly Row[]) =>
      rows
        .map(toPlain)
        .filter(({ order_number }) => order_number === number)
        .map((row) => without(row, 'number', 'order_number', 'actor'))
    facts.set(name, {
      order: without(order, 'number', 'account', 'actor', 'batch'),
      calls: own(calls),
    })
  }
  return facts
}

/** The batches by id, with their rows and cards. Their names may differ. */
export const readBatches = async (query: Query): Promise<ReadonlyMap<string, unknown>> => {
  const batches = (await query('SELECT * FROM batches ORDER BY number')).map(toPlain)
  const rows = (await query('SELECT * FROM batch_rows')).map(toPlain)
  const cards = (await query('SELECT * FROM batch_cards')).map(toPlain)
  return new Map(
    batches.map((batch) => [
      `${batch.id} ${batch.planned_at}`,
      {
        batch: without(
          batch,
          'number',
          'account',
          'actor',
          'cancelled_by',
          'role',
          'planned_in',
          'name',
          'name_fold',
        ),
        rows: sortRows(rows.filter((row) => row.batch === batch.number).map((row) => without(row, 'batch'))),
        cards: sortRows(
          cards.filter((row) => row.batch === batch.number).map((row) => without(row, 'batch')),
        ),
      },
    ]),
  )
}

export const readReveals = async (query: Query): Promise<Row[]> =>
  sortRows((await query('SELECT * FROM reveals')).map((row) => without(toPlain(row), 'number', 'actor')))
