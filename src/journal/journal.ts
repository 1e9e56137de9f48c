// The journal: everything ordered with orderctl, written before a request is sent and after its answer arrives.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { asFailure } from '../sqlite/failure.ts'
import { openDatabase, openToRead } from '../sqlite/open.ts'
import { transactions } from '../sqlite/transactions.ts'
import { accountsIn } from './accounts.ts'
import { callsIn } from './calls.ts'
import { type DamagedRow, damagedRowOf } from './damage.ts'
import { readingOf } from './reading.ts'
import { revealsIn } from './reveals.ts'
import { schema } from './schema.ts'
import { standingIn } from './standing.ts'

export type Journal = ReturnType<typeof openJournal>

/** Told of each damaged row that is read, each time that it is read. */
export type OnDamage = (row: DamagedRow) => void

export const openJournal = (file: string, onDamage: OnDamage = () => {}) =>
  journalOn(openDatabase(file, schema), { file, onDamage })

/** Writing to it throws. */
export const openJournalToRead = (file: string, onDamage: OnDamage = () => {}): Journal =>
  journalOn(openToRead(file, schema), { file, onDamage })

type Options = { readonly file: string; readonly onDamage: OnDamage }

const journalOn = (database: DatabaseSync, { file, onDamage }: Options) => {
  const transaction = transactions(database)
  const accounts = accountsIn(database)
  const reading = readingOf(database, accounts)
  const standing = standingIn(database, transaction, reading)

  const reportDamage = (result: unknown): void => {
    for (const value of Array.isArray(result) ? result : [result]) {
      const damaged = damagedRowOf(value)
      if (damaged !== undefined) onDamage(damaged)
    }
  }

  /** Whatever is thrown, by a full disk or a damaged page, is a failure of the journal. */
  const attempt = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      throw unusable(asFailure(error, file, schema), file)
    }
  }

  /** Each function of the journal, with its failures and the damage that it meets. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of the functions pass through.
  const guarded = <Functions extends Record<string, (...given: any[]) => unknown>>(
    functions: Functions,
  ): Functions =>
    Object.fromEntries(
      Object.entries(functions).map(([name, work]) => [
        name,
        (...given: unknown[]) => {
          const result = attempt(() => work(...given))
          reportDamage(result)
          return result
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

/** Any error: after the answer to a call, it must not hide what the answer said. */
const unusable = (error: unknown, file: string): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `the journal ${file} could not be used: ${(error as Error).message}`, {
        cause: error,
      })
