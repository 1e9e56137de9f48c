// Runs transactions that never fail halfway because a different process writes, alone or many as one (group commit). Compiles
// each statement of a connection once.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** More would be a sign of values in the text of a statement. */
const maxStatements = 200

/**
 * A batch runs the same few statements thousands of times, and compiling a statement takes longer than running it. Not
 * for statements that are iterated, because two loops would share one cursor.
 */
export const cacheStatements = (database: DatabaseSync): void => {
  const compile = database.prepare.bind(database)
  const statements = new Map<string, StatementSync>()
  database.prepare = (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = compile(sql)
    if (statements.size < maxStatements) statements.set(sql, statement)
    return statement
  }
}

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

type Member<Start> = {
  readonly work: (start: Start) => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs all work that arrives in one turn of the event loop in one transaction. `begin` runs once at the start of each
 * transaction, and its result is passed to all work of the group.
 */
export const createGroupRunner = <Start>(
  transaction: <Result>(work: () => Result) => Result,
  begin: () => Start,
): (<Result>(work: (start: Start) => Result) => Promise<Result>) => {
  let waiting: Member<Start>[] = []

  const runTogether = (members: readonly Member<Start>[]): void => {
    let hasBegun = false
    try {
      const results = transaction(() => {
        hasBegun = true
        const start = begin()
        return members.map(({ work }) => work(start))
      })
      for (const [index, { resolve }] of members.entries()) resolve(results[index] as never)
    } catch (error) {
      // The failure of one member rolls back the others too, so each runs again alone.
      if (hasBegun && members.length > 1) for (const member of members) runTogether([member])
      else for (const { reject } of members) reject(error)
    }
  }
  const runWaiting = (): void => {
    const members = waiting
    waiting = []
    runTogether(members)
  }

  /** Resolves after the commit. */
  return (work) =>
    new Promise((resolve, reject) => {
      // Immediates run after all requests that have arrived were read.
      if (waiting.push({ work, resolve, reject }) === 1) setImmediate(runWaiting)
    })
}
