// Journals of the first orderctl. They say version 1, but their tables differ from it.
import type { DatabaseSync } from 'node:sqlite'
import { firstTables } from './step-1.ts'

/** Those that others refer to come first. */
const tables = ['orders', 'calls', 'states', 'reveals']

/** Gives such a journal the tables of version 1, with all its rows. Leaves any other journal as it is. */
export const repairFirstJournal = (database: DatabaseSync): void => {
  if (columnsOf(database, 'orders').includes('duplicate')) return
  // The new indexes have some of the old names.
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

/** Without those that belong to a constraint of a table. */
const indexesIn = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all()
    .map(({ name }) => String(name))
