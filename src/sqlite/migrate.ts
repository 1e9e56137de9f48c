// Updates a SQLite file to the newest version of its schema. Runs all steps or none.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import { backUp } from './backup.ts'
import type { Schema } from './schema.ts'
import { createTransactionRunner } from './transactions.ts'
import { readVersion } from './version.ts'

/** How long a process waits while another one migrates. The backup of a million orders takes seconds. */
const migrationTimeoutMs = 120_000

export const migrate = (
  database: DatabaseSync,
  file: string,
  schema: Schema,
  busyTimeoutMs: number,
): void => {
  database.exec(`PRAGMA busy_timeout = ${migrationTimeoutMs}`)
  // A step may rebuild a table that others refer to. Inside a transaction, this pragma has no effect.
  database.exec('PRAGMA foreign_keys = OFF')
  try {
    createTransactionRunner(database)(() => {
      // Another process may have migrated the file since its version was read.
      const version = readVersion(database, file, schema)
      if (version === schema.steps.length) return
      const backup = version === 0 ? undefined : backUpOrRefuse(file, version, schema)
      try {
        runSteps(database, version, schema)
      } catch (error) {
        // Otherwise each failed attempt would leave a backup.
        if (backup !== undefined) rmSync(backup, { force: true })
        throw error
      }
    })
  } finally {
    database.exec('PRAGMA foreign_keys = ON')
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
}

const runSteps = (database: DatabaseSync, version: number, { applicationId, steps }: Schema): void => {
  const broken = countBrokenReferences(database)
  for (const step of steps.slice(version)) {
    if (typeof step === 'string') database.exec(step)
    else step(database)
  }
  // The file may already be damaged, so only new damage is the fault of a step.
  if (countBrokenReferences(database) > broken) throw new Error('a migration broke a foreign key')
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`)
}

const countBrokenReferences = (database: DatabaseSync): number =>
  database.prepare('PRAGMA foreign_key_check').all().length

const backUpOrRefuse = (file: string, version: number, schema: Schema): string => {
  try {
    return backUp(file, version)
  } catch (error) {
    throw new Failure(
      'local-state',
      `cannot back up the ${schema.name} ${file} before updating it: ${getErrorReason(error)}`,
      {
        fix: `Nothing was changed. Free some space in ${path.dirname(file)}, or make it writable.`,
        cause: error,
      },
    )
  }
}
