// A temporary folder for one test, and read-only access to a database in it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const openScratch = (parent = tmpdir()) => {
  const folder = mkdtempSync(join(parent, 'orderctl-'))
  return {
    folder,
    file: join(folder, 'state.db'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens the database read-only, so that the test cannot change what it checks. */
export const readDatabase = <Result>(file: string, read: (database: DatabaseSync) => Result): Result => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return read(database)
  } finally {
    database.close()
  }
}
