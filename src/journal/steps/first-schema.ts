// Repairs journals of the first orderctl: they claim version 1, but their tables differ.
import type { DatabaseSync } from 'node:sqlite'
import { firstTables } from './step-1.ts'

/** Tables that others refer to come first. */
const tables = ['orders', 'calls', 'states', 'reveals']

/** Copies all rows into the tables of version 1. Leaves any other journal unchanged. */
export const repairFirstJournal = (database: DatabaseSync): void => {
  if (columnsOf(database, 'orders').includes('duplicate')) return
  // Some new indexes have the names of old ones.
  for (const index of indexesIn(database)) database.exec(`DROP INDEX ${index}`)
  for (const table of tables) database.exec(`ALTER TABLE ${table} RENAME TO first_${table}`)
  database.exec(firstTables)
  for (const table of tables) {
    const columns = columnsOf(database, `first_${table}`).join(', ')
    database.exec(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM first_${table}`)
  }
  for (const table of tables.toReversed()) database.exec(`DROP TABLE first_${table}`)
}

const columnsOf = (database: DatabaseSync, table: string): string[] =>
  database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))

/** Omits the indexes that SQLite creates for constraints. */
const indexesIn = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all()
    .map(({ name }) => String(name))
