// Tells whether a SQLite database has a table.
import type { DatabaseSync } from 'node:sqlite'

export const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
