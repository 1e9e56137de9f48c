// The journal: everything ordered with orderctl, written before a request is sent and after its answer arrives.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { asFailure } from '../sqlite/failure.ts'
import { openDatabase, openToRead } from '../sqlite/open.ts'
import { transactions } from '../sqlite/transactions.ts'
import { accountsIn } from './accounts.ts'
import { callsIn } from './calls.ts'
import { readingOf } from './reading.ts'
import { revealsIn } from './reveals.ts'
import { schema } from './schema.ts'
import { standingIn } from './standing.ts'

export type Journal = ReturnType<typeof openJournal>

export const openJournal = (file: string) => journalOn(openDatabase(file, schema), file)

/** Whatever would write to it throws. */
export const openJournalToRead = (file: string): Journal => journalOn(openToRead(file, schema), file)

const journalOn = (database: DatabaseSync, file: string) => {
  const transaction = transactions(database)
  const accounts = accountsIn(database)
  const reading = readingOf(database, accounts)
  const standing = standingIn(database, transaction, reading)

  /** What is thrown half way, by a full disk or a damaged page, is a failure of the journal. */
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
            throw unusable(asFailure(error, file, schema), file)
          }
        },
      ]),
    ) as Functions

  return {
    ...guarded({
      ...reading,
      ...callsIn(database, transaction, { reading, accounts, standing }),
      noteOrder: standing.noteOrder,
      expire: standing.expire,
      noteUnconfirmed: standing.noteUnconfirmed,
      decide: standing.decide,
      ...revealsIn(database),
    }),
    close: (): void => database.close(),
  }
}

/** Whatever it is: after the answer to a call it must not hide what the answer said. */
const unusable = (error: unknown, file: string): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `the journal ${file} could not be used: ${(error as Error).message}`, {
        cause: error,
      })
