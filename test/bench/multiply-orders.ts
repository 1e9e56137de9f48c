// Fills a journal with copies of its newest order. It asks the database for the columns, so it works with every commit.
import { DatabaseSync } from 'node:sqlite'
import type { TestDatabase } from '../support/postgres/database.ts'

const newest = '(SELECT max(number) FROM orders)'

type Spread = {
  /** The first copy is the oldest. By default all are equally old, so that they count against the same budget. */
  readonly minutesApart?: number
}

/** What differs between the copies, besides their times. */
const changed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  orders: {
    number: 'orders.number + n',
    order_id: "order_id || '-' || n",
    reference: "reference || '-' || n",
    reference_fold: "reference_fold || '-' || n",
  },
  calls: {
    number: `${newest} * 2 + calls.number + 2 * n`,
    id: "id || '-' || n",
    order_number: 'order_number + n',
  },
}

/** The calls come first: they belong to the order that is the newest then. */
const formatCopies = (
  columnsOf: (table: string) => readonly string[],
  count: number,
  { minutesApart = 0 }: Spread,
): string =>
  ['calls', 'orders']
    .map((table) => {
      const columns = columnsOf(table)
      const values = columns.map((column) => {
        const age = /(_at|until)$/.test(column) ? ` - (${count} - n) * ${minutesApart * 60_000}` : ''
        return changed[table]?.[column] ?? `${table}.${column}${age}`
      })
      return `WITH RECURSIVE numbers (n) AS (
          SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}
        )
        INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
        FROM ${table}, numbers WHERE ${table}.${table === 'calls' ? 'order_number' : 'number'} = ${newest};`
    })
    .join('\n')

export const multiplyInFile = (file: string, count: number, spread: Spread = {}): void => {
  using database = new DatabaseSync(file)
  // It leaves out generated columns.
  const columnsOf = (table: string): string[] =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
  database.exec(`PRAGMA foreign_keys = OFF; BEGIN; ${formatCopies(columnsOf, count, spread)} COMMIT; ANALYZE`)
}

export const multiplyInDatabase = async (
  database: TestDatabase,
  count: number,
  spread: Spread = {},
): Promise<void> => {
  const rows = await database.admin(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_name IN ('orders', 'calls') AND is_generated = 'NEVER' ORDER BY ordinal_position`,
  )
  const columnsOf = (table: string): string[] =>
    rows.filter(({ table_name }) => table_name === table).map(({ column_name }) => String(column_name))
  await database.admin(`
    SET session_replication_role = replica;
    ${formatCopies(columnsOf, count, spread)}
    SELECT setval(pg_get_serial_sequence(name, 'number'), ${10 * count}) FROM (VALUES ('orders'), ('calls')) AS tables (name);`)
  await database.admin('VACUUM (FREEZE, ANALYZE)')
}
