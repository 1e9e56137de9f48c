// The journal: what was ordered from here, written before a request leaves and after its answer is known.
import { asFailure, openDatabase, transactions } from '../sqlite.ts'
import { callsIn } from './calls.ts'
import { readingOf } from './reading.ts'
import { revealsIn } from './reveals.ts'
import { schema } from './schema.ts'

export type Journal = ReturnType<typeof openJournal>

export const openJournal = (file: string) => {
  const database = openDatabase(file, schema)
  const transaction = transactions(database)
  const reading = readingOf(database)

  /** Whatever SQLite throws half way, a full disk or a damaged page, is a failure of the journal. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of the functions pass through.
  const guarded = <Functions extends Record<string, (...given: any[]) => unknown>>(
    functions: Functions,
  ): Functions =>
    Object.fromEntries(
      Object.entries(functions).map(([name, work]) => [
        name,
        (...given: unknown[]) => {
          try {
            return work(...given)
          } catch (error) {
            throw asFailure(error, file, schema)
          }
        },
      ]),
    ) as Functions

  return {
    ...guarded({ ...reading, ...callsIn(database, transaction, reading), ...revealsIn(database) }),
    close: (): void => database.close(),
  }
}
