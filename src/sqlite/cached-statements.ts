// Compiles each statement of a connection once.
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
