// The list of all tables of the journal, and the SQL that creates them in SQLite or PostgreSQL.

import type { AccountId } from '../../contract/account-id.ts'
import type { Schema } from '../../sqlite/failure.ts'
import type { Write } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import type { ColumnKind } from '../database/database.ts'
import {
  accounts,
  actors,
  approvalRequests,
  approvals,
  cardKeys,
  handovers,
  journal,
  limits,
  reveals,
  seenCards,
} from './accounts.ts'
import { batchCards, batches, batchRows } from './batches.ts'
import { calls, orders, referenceLocks } from './orders.ts'
import {
  type Column,
  type DatabaseName,
  type Fixed,
  isDecimalSql,
  isText,
  latestTime,
  maxAmountLength,
  type Table,
} from './table.ts'

/** A table refers only to tables before it. */
export const tables: readonly Table[] = [
  ...[journal, accounts, cardKeys, actors],
  ...[batches, batchRows, batchCards],
  ...[orders, referenceLocks, calls, seenCards, reveals],
  ...[approvalRequests, approvals],
  ...[limits, handovers],
]

/** Fingerprints of the statements below. After a change of a table, test/sqlite/open.test.ts prints the new ones. */
export const versions: Readonly<Record<DatabaseName, number>> = { sqlite: 1236186072, postgres: 1352818519 }

export const createJournalSql = (database: DatabaseName): string[] => createTablesSql(database, tables)

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to a different folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  version: versions.sqlite,
  createSql: () =>
    [
      ...createJournalSql('sqlite'),
      'INSERT INTO orderctl_journal (id) VALUES (lower(hex(randomblob(16))))',
    ].join(';\n'),
}

/** The columns whose values a copy of a row has: all but the number that the database gives it. */
export const listCopiedColumns = ({ columns }: Table): (readonly [name: string, kind: ColumnKind])[] =>
  Object.entries(columns)
    .filter(([, column]) => isIn('sqlite', column) && column.type !== 'id' && !column.generatedAs)
    .map(([name, column]) => [name, isText(column) ? 'TEXT' : 'BIGINT'])

/** Deletes an account's orders and batches, for a reset of the sandbox. */
export const deleteOrders = ({ write }: Write, id: AccountId): Promise<void> =>
  write(async (access) => {
    const account = await getOrAddAccount(access, id)
    for (const table of tables.toReversed()) {
      if (table.isReset)
        await access.run(`DELETE FROM ${table.name} WHERE ${createAccountCondition(table)}`, { account })
    }
  })

/** Selects an account's rows, directly or by the order or batch that they belong to. */
const createAccountCondition = ({ columns }: Table): string => {
  if ('account' in columns) return 'account = $account'
  const isParent = ({ references = '' }: Column): boolean => ['orders', 'batches'].includes(references)
  const [column, parent] = Object.entries(columns).find(([, each]) => isParent(each)) ?? []
  return `${column} IN (SELECT number FROM ${parent?.references} WHERE account = $account)`
}

/** The statements that create the tables, in the order of the list. */
export const createTablesSql = (database: DatabaseName, some: readonly Table[]): string[] => {
  const created = some.filter((table) => isIn(database, table))
  return [
    ...created.map((table) => createTable(database, table)),
    ...created.flatMap((table) => createIndexes(database, table)),
    ...created.flatMap(({ triggers = [], sqliteTriggers = [] }) =>
      database === 'postgres' ? triggers : sqliteTriggers,
    ),
    ...created.flatMap((table) => createFixed[database](table)),
  ]
}

const isIn = (database: DatabaseName, { only }: { readonly only?: DatabaseName }): boolean =>
  only === undefined || only === database

const createTable = (
  database: DatabaseName,
  { name, columns, conditions = {}, primaryKey, checks = {} }: Table,
): string => {
  const parts = [
    ...Object.entries(columns)
      .filter(([, column]) => isIn(database, column))
      .map(([column, facts]) => `${column} ${createColumn(database, name, column, facts)}`),
    ...Object.entries(conditions).map(([column, sql]) => `${column} ${createCondition[database](sql)}`),
    ...(primaryKey === undefined ? [] : [`PRIMARY KEY (${primaryKey.join(', ')})`]),
    ...Object.entries(checks).map(([check, condition]) => `CONSTRAINT ${check} CHECK (${condition})`),
  ]
  const options = primaryKey === undefined ? ' STRICT' : ' STRICT, WITHOUT ROWID'
  return `CREATE TABLE ${name} (\n  ${parts.join(',\n  ')}\n)${database === 'sqlite' ? options : ''}`
}

const createCondition = {
  // Not stored, so that a bad disk cannot damage it.
  sqlite: (sql: string) => `INTEGER GENERATED ALWAYS AS (${sql}) VIRTUAL`,
  postgres: (sql: string) => `BOOLEAN GENERATED ALWAYS AS (${sql}) STORED`,
}

// PostgreSQL sorts and compares as SQLite does, whatever the locale of the database.
const types = {
  sqlite: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', text: 'TEXT', integer: 'INTEGER' },
  postgres: {
    id: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    text: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
  },
}

const createColumn = (database: DatabaseName, table: string, name: string, column: Column): string => {
  const { type, isNotNull, default: byDefault, generatedAs, references, onDelete } = column
  if (type === 'id') return types[database].id
  const check = createCheck(database, name, column)
  const parts = [
    types[database][isText(column) ? 'text' : 'integer'],
    isNotNull && 'NOT NULL',
    byDefault && `DEFAULT ${typeof byDefault === 'string' ? byDefault : byDefault[database]}`,
    generatedAs && `GENERATED ALWAYS AS (${generatedAs}) STORED`,
    references && `REFERENCES ${references}`,
    onDelete && `ON DELETE ${onDelete}`,
    check && `CONSTRAINT ${table}_${name}_check CHECK (${check})`,
  ]
  return parts.filter(Boolean).join(' ')
}

/** Every value of the column passes it, and NULL does, too. */
const createCheck = (database: DatabaseName, name: string, { type, words }: Column): string | undefined => {
  if (words !== undefined) {
    const values = type === 'text' ? words.map((word) => `'${word}'`) : words
    return `${name} IN (${values.join(', ')})`
  }
  if (type === 'amount') return `length(${name}) <= ${maxAmountLength} AND ${isDecimalSql[database](name)}`
  if (type === 'millionths') return `${name} >= 0`
  if (type === 'count') return `${name} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`
  return type === 'time' ? `${name} BETWEEN 0 AND ${latestTime}` : undefined
}

/** SQLite ends each index with the number of the row itself. */
const rowNumber = /, number$/

const createIndexes = (database: DatabaseName, { name, indexes = {} }: Table): string[] =>
  Object.entries(indexes)
    .filter(([, index]) => isIn(database, index))
    .map(([index, { on, where, isUnique }]) => {
      const columns = database === 'sqlite' ? on.replace(rowNumber, '') : on
      const condition = where === undefined ? '' : ` WHERE ${where}`
      return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${index} ON ${name} (${columns})${condition}`
    })

type CreateFixed = (table: Table) => string[]

const createFixed: Readonly<Record<DatabaseName, CreateFixed>> = {
  sqlite: (table) =>
    Object.entries(table.fixed ?? {}).map(([trigger, { what, columns, when, unless }]) => {
      const conditions = [when && `(${when})`, unless && `(${unless}) IS NOT TRUE`].filter(Boolean)
      const condition = conditions.length === 0 ? '' : ` WHEN ${conditions.join(' AND ')}`
      return `CREATE TRIGGER ${trigger} BEFORE UPDATE${createList('sqlite', table, columns)} ON ${table.name}${condition}
         BEGIN SELECT RAISE(ABORT, 'cannot change ${what}'); END`
    }),
  postgres: (table) =>
    Object.entries(table.fixed ?? {}).flatMap(([trigger, { what, columns, when, unless }]) => {
      const each = when === undefined ? 'STATEMENT' : `ROW WHEN (${when})`
      return [
        ...(unless === undefined ? [] : [createAdmission(trigger, unless)]),
        `CREATE TRIGGER ${trigger} BEFORE UPDATE${createList('postgres', table, columns)} ON ${table.name}
         FOR EACH ${each} EXECUTE FUNCTION ${unless === undefined ? 'refuse_change' : trigger}('${what}')`,
      ]
    }),
}

const createList = (database: DatabaseName, table: Table, columns: Fixed['columns']): string => {
  if (columns === undefined) return ''
  const own = columns.split(/,\s+/).filter((name) => isIn(database, table.columns[name] ?? {}))
  return ` OF ${own.join(', ')}`
}

/** The condition of a trigger in PostgreSQL cannot read other tables, but its function can: see the table actors. */
const createAdmission = (name: string, unless: string): string => {
  const condition = unless
    .replaceAll('OLD.', '($1).')
    .replaceAll('NEW.', '($2).')
    .replace(/\bFROM /, 'FROM %I.')
    .replaceAll("'", "''")
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
     DECLARE
       is_admitted boolean;
     BEGIN
       EXECUTE format('SELECT ${condition}', TG_TABLE_SCHEMA) INTO is_admitted USING OLD, NEW;
       IF is_admitted THEN
         RETURN NEW;
       END IF;
       RAISE EXCEPTION 'cannot change %', TG_ARGV[0];
     END $$`
}
