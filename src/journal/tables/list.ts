// The list of all tables of the journal, and what follows from it.

import type { Schema } from '../../sqlite/schema.ts'
import type { Statements } from '../database/database.ts'
import type { ColumnKind } from '../database/many-rows.ts'
import { accounts, actors, cardKeys, copies, journal } from './accounts.ts'
import { batchCards, batches, batchRows, batchWorkers, slotLeases } from './batches.ts'
import { approvalRequests, approvals, limits } from './limits.ts'
import { calls, orders, referenceLocks, reveals, seenCards } from './orders.ts'
import { createTablesSql, isIn, isText } from './sql.ts'
import type { DatabaseName, Table } from './table.ts'

/** A table refers only to tables before it. */
export const tables: readonly Table[] = [
  ...[journal, accounts, cardKeys, actors],
  ...[batches, batchRows, batchCards, batchWorkers, slotLeases],
  ...[orders, referenceLocks, calls, seenCards, reveals],
  ...[approvalRequests, approvals],
  ...[limits, copies],
]

/** Fingerprints of the statements below. After a change of a table, test/sqlite/open.test.ts prints the new ones. */
export const versions: Readonly<Record<DatabaseName, number>> = { sqlite: 1480723906, postgres: 1921578817 }

/** The statements that create the journal. */
export const createJournalSql = (database: DatabaseName): string[] => createTablesSql(database, tables)

export type CopiedColumn = readonly [name: string, kind: ColumnKind]

/** The columns whose values a copy of a row has: all but the number that the database gives it. */
export const listCopiedColumns = ({ columns }: Table): CopiedColumn[] =>
  Object.entries(columns)
    .filter(([, column]) => isIn('sqlite', column))
    .filter(([, { type, generatedAs }]) => type !== 'id' && generatedAs === undefined)
    .map(([name, column]) => [name, isText(column) ? 'TEXT' : 'BIGINT'])

/** Deletes the orders and batches of an account. */
export const deleteOrdersOf = async ({ run }: Statements, account: number): Promise<void> => {
  for (const table of tables.toReversed()) {
    if (table.isReset)
      await run(`DELETE FROM ${table.name} WHERE ${createAccountCondition(table)}`, { account })
  }
}

/** Selects the rows of an account, directly or by the row that they belong to. */
const createAccountCondition = ({ columns }: Table): string => {
  if ('account' in columns) return 'account = $account'
  const [column, { references } = {}] =
    Object.entries(columns).find(([, { references }]) => parents.has(references)) ?? []
  return `${column} IN (SELECT number FROM ${references} WHERE account = $account)`
}

const parents = new Set<string | undefined>(['orders', 'batches'])

const createIdentity = 'INSERT INTO orderctl_journal (id) VALUES (lower(hex(randomblob(16))))'

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to another folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  version: versions.sqlite,
  createSql: () => [...createJournalSql('sqlite'), createIdentity].join(';\n'),
}
