// Describes and checks the journal in a file. Changes nothing.
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { readUntouched } from '../../sqlite/read.ts'
import { findLostCall, type Note, readSeen } from '../newest-call.ts'
import { schema } from '../schema.ts'

export type FileStatus = {
  readonly version: number
  readonly bytes: number
  readonly orders: number
  readonly batches: number
  /** Whether every page was checked, or only the newest rows. */
  readonly isWhole: boolean
  /** SQLite's descriptions of the damage. */
  readonly damage: readonly string[]
  /** The note of a call that it lacks. */
  readonly lost: Note | undefined
}

/** quick_check reads every page, so its time grows with the file. */
const wholeLimitBytes = 64 * 1024 ** 2
export const newestRows = 10_000
const maxDamage = 3

/**
 * Throws if the file is not a journal of this version. Undefined if a crash left a log that a command must first write
 * into it.
 */
export const readFileStatus = (
  file: string,
  { isWhole: isAskedFor, notes }: { readonly isWhole: boolean; readonly notes: readonly Note[] },
): FileStatus | undefined =>
  readUntouched(file, schema, (database) => {
    const bytes = measure(file) + measure(`${file}-wal`)
    const isWhole = isAskedFor || bytes <= wholeLimitBytes
    if (!isWhole) readNewest(database)
    const damage = isWhole ? checkWhole(database) : []
    const count = (table: 'orders' | 'batches'): number =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
    return {
      ...{ version: schema.version, bytes, isWhole, damage },
      ...{ orders: count('orders'), batches: count('batches') },
      lost: findLostCall(notes, readSeen(database, notes)),
    }
  })

const measure = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

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
