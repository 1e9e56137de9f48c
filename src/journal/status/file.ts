// Describes and checks the journal in a file. Changes nothing.
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { sandboxAddress } from '../../contract/account-id.ts'
import { readDatabase, readUntouched } from '../../sqlite/read.ts'
import { findLostCall, type Note, readSeen } from '../newest-call.ts'
import { schema } from '../schema.ts'

export type FileStatus = {
  readonly state: 'missing' | 'current'
  readonly version: number | null
  readonly bytes: number
  readonly orders: number | null
  readonly batches: number | null
  /** The note of a call that it lacks. */
  readonly lost?: Note | undefined
}

/** Throws if the file is not a journal of this version. */
export const readFileStatus = (file: string | undefined, notes: readonly Note[]): FileStatus => {
  const bytes = file === undefined ? 0 : measure(file) + measure(`${file}-wal`)
  if (file === undefined || bytes === 0)
    return { state: 'missing', version: null, bytes, orders: null, batches: null }
  return readDatabase(file, schema, (database) => {
    const count = (table: 'orders' | 'batches'): number =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
    return {
      ...{ state: 'current', version: schema.version, bytes },
      ...{ orders: count('orders'), batches: count('batches') },
      lost: findLostCall(notes, readSeen(database, notes)),
    }
  })
}

const measure = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

export type FileCheck = {
  readonly version: number
  readonly bytes: number
  /** Whether every page was checked, or only the newest rows. */
  readonly isWhole: boolean
  /** SQLite's descriptions of the damage. */
  readonly damage: readonly string[]
  /** The note of a call that it lacks. */
  readonly lost: Note | undefined
  /** Whether it has orders of an account other than the sandbox. */
  readonly hasServiceAccount: boolean
}

/** quick_check reads every page, so its time grows with the file. */
const wholeLimitBytes = 64 * 1024 ** 2
export const newestRows = 10_000
const maxDamage = 3

/**
 * Throws if the file is not a journal of this version. Undefined if a crash left a log that a command must first write
 * into it.
 */
export const checkFile = (
  file: string,
  { isWhole: isAskedFor, notes }: { readonly isWhole: boolean; readonly notes: readonly Note[] },
): FileCheck | undefined =>
  readUntouched(file, schema, (database) => {
    const bytes = measure(file)
    const isWhole = isAskedFor || bytes <= wholeLimitBytes
    if (!isWhole) readNewest(database)
    return {
      ...{ version: schema.version, bytes, isWhole },
      damage: isWhole ? checkWhole(database) : [],
      lost: findLostCall(notes, readSeen(database, notes)),
      hasServiceAccount: findServiceAccount(database),
    }
  })

const checkWhole = (database: DatabaseSync): string[] =>
  database
    .prepare(`PRAGMA quick_check(${maxDamage})`)
    .all()
    .map(({ quick_check: text }) => String(text))
    .filter((text) => text !== 'ok')

/** A damaged page throws. SQLite itself refuses a file that was cut off. */
const readNewest = (database: DatabaseSync): void => {
  for (const table of ['orders', 'calls']) {
    const rows = database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT ${newestRows}`).iterate()
    for (const _ of rows);
  }
}

const findServiceAccount = (database: DatabaseSync): boolean =>
  database.prepare('SELECT 1 FROM accounts WHERE address <> ? LIMIT 1').get(sandboxAddress) !== undefined
