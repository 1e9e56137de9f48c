// Describes the journal in a file as it is, also that of an older orderctl. Changes nothing.
import { statSync } from 'node:fs'
import { hasTable } from '../../sqlite/has-table.ts'
import { readAnyVersion } from '../../sqlite/open.ts'
import { findLostCall, type Note, readSeen } from '../newest-call.ts'
import { schema } from '../schema.ts'
import { compareVersions, type VersionState } from './version-state.ts'

export type FileStatus = {
  readonly state: VersionState
  readonly version: number | undefined
  readonly expectedVersion: number
  readonly bytes: number
  readonly orders?: number
  readonly batches?: number
  /** The note of a call that it lacks. */
  readonly lost?: Note | undefined
}

const expectedVersion = schema.steps.length

/** Throws if the file is not a journal, or was written by a newer orderctl. */
export const readFileStatus = (file: string | undefined, notes: readonly Note[]): FileStatus => {
  if (file === undefined) return { state: 'missing', version: undefined, expectedVersion, bytes: 0 }
  return readAnyVersion(file, schema, (database, version) => {
    const count = (table: string): number =>
      hasTable(database, table)
        ? Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
        : 0
    return {
      // Version 0 is an empty file.
      state: compareVersions(version === 0 ? undefined : version, expectedVersion),
      version: version === 0 ? undefined : version,
      expectedVersion,
      bytes: measure(file) + measure(`${file}-wal`),
      orders: count('orders'),
      batches: count('batches'),
      lost: version === expectedVersion ? findLostCall(notes, readSeen(database, notes)) : undefined,
    }
  })
}

const measure = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
