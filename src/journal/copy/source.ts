// Opens the SQLite journal that is copied. All reads see the file as it was when it was opened.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { toFailure } from '../../sqlite/failure.ts'
import { openForReading } from '../../sqlite/read.ts'
import type { Statements } from '../database/database.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { schema } from '../schema.ts'

export type CopySource = Pick<Statements, 'all'> & {
  /** Differs for each journal. */
  readonly id: string
  readonly close: () => Promise<void>
}

/** SQL: the row belongs to an account that is copied. The orders of the sandbox stay on each machine. */
export const isCopied = `account IN (SELECT number FROM accounts WHERE address <> '${sandboxAddress}')`

/** Throws if the file is not a journal of this version. */
export const openSource = async (file: string): Promise<CopySource> => {
  refuseOtherFile(file)
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, {
    now: Date.now,
    convert: (error) => toFailure(error, file, schema),
  })
  try {
    opened.exec('BEGIN')
    const [row] = await all('SELECT id FROM orderctl_journal')
    return { all, id: String(row?.id), close }
  } catch (error) {
    await close()
    throw toFailure(error, file, schema)
  }
}

const headerBytes = 100
/** The place of the application id in the header of a SQLite file. */
const applicationIdAt = 68

/** The file was named by the user, so a wrong one is no damaged journal. An empty one is refused when it is opened. */
const refuseOtherFile = (file: string): void => {
  const refuse = (what: string): Failure =>
    new Failure('usage', `--from: ${file} ${what}; nothing was copied`, {
      field: '--from',
      fix: (suggest) =>
        `Name the file journal.db in the state folder of a machine. See where it is: ${suggest`journal status --profile sandbox`}`,
    })
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw refuse('does not exist')
  if (!stats.isFile()) throw refuse('is not a file')
  if (stats.size === 0) return
  const header = readHeader(file)
  const isDatabase =
    header.length === headerBytes && header.toString('latin1').startsWith('SQLite format 3\0')
  // The id of a new journal may still be in its log.
  if (!isDatabase || ![0, schema.applicationId].includes(header.readUInt32BE(applicationIdAt)))
    throw refuse('is not a journal of orderctl')
}

const readHeader = (file: string): Buffer => {
  try {
    const descriptor = openSync(file, 'r')
    const header = Buffer.alloc(headerBytes)
    const length = readSync(descriptor, header)
    closeSync(descriptor)
    return header.subarray(0, length)
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}
