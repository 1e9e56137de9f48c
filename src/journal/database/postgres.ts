// The journal's database in PostgreSQL.
import type { Postgres } from '../../postgres/open.ts'
import type { Database, Dialect } from './database.ts'

/** SQL: the time in milliseconds. */
export const postgresNow = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'

const dialect: Dialect = {
  name: 'postgres',
  indexedBy: () => '',
  orderedJoin: 'JOIN',
  // Does not wait for transactions that only refer to the row by a foreign key.
  forUpdateOf: (table) => `FOR NO KEY UPDATE OF ${table}`,
  readList: (parameter) => `json_array_elements(CAST(${parameter} AS JSON))`,
  now: postgresNow,
  // Not current_user, which SET ROLE changes.
  role: 'CAST(session_user AS TEXT)',
  writtenBy: 'written_by',
}

export const createPostgresDatabase = ({ all, transaction, close }: Postgres): Database => ({
  dialect,
  all,
  transaction: (work) => transaction((statements) => work({ ...statements, dialect })),
  close,
})
