// Copies the journal's files while other commands use them.
import { backup } from 'node:sqlite'
import type { Schema } from '../sqlite/failure.ts'
import { openForReading } from '../sqlite/open.ts'
import { schema as machineSchema } from './machine/machine-file.ts'
import { schema as journalSchema } from './tables/list.ts'

/** In one step, because SQLite starts again if a different process writes between two steps. */
const allPages = 2 ** 31 - 1

const copyDatabase = async (file: string, schema: Schema, target: string): Promise<void> => {
  using source = openForReading(file, schema)
  await backup(source, target, { rate: allPages })
}

/** `target` is an empty file. */
export const copyJournalFile = (file: string, target: string): Promise<void> =>
  copyDatabase(file, journalSchema, target)

/** `target` is an empty file. */
export const copyMachineFile = (file: string, target: string): Promise<void> =>
  copyDatabase(file, machineSchema, target)
