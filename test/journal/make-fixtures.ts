// Makes the stored journals of earlier versions: node test/journal/make-fixtures.ts. Run it by hand, once for a new
// version, with the tables of that version in fixtures/. Never make a stored journal again: its exact bytes are the test.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { calls, orders, type Row, reveals, states } from './fixture-rows.ts'
import { versionTwoRows } from './version-2-rows.ts'
import { versionThreeRows } from './version-3-rows.ts'

const insert = (database: DatabaseSync, table: string, rows: readonly Row[]): void => {
  const known = new Set(
    database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name),
  )
  for (const row of rows) {
    const columns = Object.keys(row).filter((name) => known.has(name))
    database
      .prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`)
      .run(...columns.map((name) => row[name] ?? null))
  }
}

const folder = path.join(import.meta.dirname, 'fixtures')

const versionOneRows = { orders, calls, states, reveals }

/** By the name of the file: the user_version that orderctl wrote, and the rows. */
const stored = {
  first: { version: 1, rows: versionOneRows },
  'version-1': { version: 1, rows: versionOneRows },
  'version-2': { version: 2, rows: versionTwoRows },
  'version-3': { version: 3, rows: versionThreeRows },
}

for (const [name, { version, rows }] of Object.entries(stored)) {
  const file = path.join(folder, `${name}.db`)
  if (existsSync(file)) continue
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(readFileSync(path.join(folder, `${name}.sql`), 'utf8'))
  database.exec(`PRAGMA application_id = 0x6f72644a; PRAGMA user_version = ${version}`)
  for (const [table, each] of Object.entries(rows)) insert(database, table, each)
  database.close()
}
