// A folder for one test, gone after it; and the service's file in it, looked at from outside.
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

/** Read only: what a look changes proves nothing. */
export const looking = <Result>(file: string, look: (database: DatabaseSync) => Result): Result => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return look(database)
  } finally {
    database.close()
  }
}
