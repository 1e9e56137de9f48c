// Checks the journal in a file: its version, and whether it is damaged. Changes nothing.
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { sandboxAddress } from '../../contract/account-id.ts'
import { hasTable } from '../../sqlite/has-table.ts'
import { readUntouched } from '../../sqlite/read-untouched.ts'
import { findLostCall, type Note, readSeen } from '../newest-call.ts'
import { schema } from '../schema.ts'
import { compareVersions, type VersionState } from './version-state.ts'

export type FileCheck = {
  readonly state: VersionState
  readonly version: number
  readonly expectedVersion: number
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

/** Throws if the file is not a journal. Undefined if a crash left a log that a command must first write into it. */
export const checkFile = (
  file: string,
  { isWhole: isAskedFor, notes }: { readonly isWhole: boolean; readonly notes: readonly Note[] },
): FileCheck | undefined =>
  readUntouched(file, schema, (database, version) => {
    const { size: bytes } = statSync(file)
    const isWhole = isAskedFor || bytes <= wholeLimitBytes
    if (!isWhole) readNewest(database)
    return {
      ...{ version, expectedVersion: schema.steps.length, bytes, isWhole },
      state: compareVersions(version === 0 ? undefined : version, schema.steps.length),
      damage: isWhole ? checkWhole(database) : [],
      lost: version === schema.steps.length ? findLostCall(notes, readSeen(database, notes)) : undefined,
      hasServiceAccount: hasTable(database, 'accounts') && findServiceAccount(database),
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
    if (!hasTable(database, table)) continue
    const rows = database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT ${newestRows}`).iterate()
    for (const _ of rows);
  }
}

const findServiceAccount = (database: DatabaseSync): boolean =>
  database.prepare('SELECT 1 FROM accounts WHERE address <> ? LIMIT 1').get(sandboxAddress) !== undefined
