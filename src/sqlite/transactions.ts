// Runs transactions that never fail halfway because another process writes.
import type { DatabaseSync } from 'node:sqlite'

/** Takes the write lock first, so that no later statement has to wait for it. */
export const createTransactionRunner = (database: DatabaseSync): (<Result>(work: () => Result) => Result) => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  return (work) => {
    if (database.isTransaction) return work()
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (database.isTransaction) rollback.run()
      throw error
    }
  }
}
