// Opens the SQLite journal that is copied. All reads see the file as it was when it was opened.
import { toFailure } from '../../sqlite/failure.ts'
import { openForReading } from '../../sqlite/open.ts'
import type { Statements } from '../database/database.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { schema } from '../schema.ts'

export type CopySource = Pick<Statements, 'all'> & {
  /** Differs for each journal. */
  readonly id: string
  readonly close: () => Promise<void>
}

/** Throws if the file is not a journal of this version. */
export const openSource = async (file: string): Promise<CopySource> => {
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, {
    now: Date.now,
    convert: (error) => toFailure(error, file, schema),
  })
  try {
    opened.exec('BEGIN')
    const [row] = await all('SELECT id FROM journal_identity')
    return { all, id: String(row?.id), close }
  } catch (error) {
    await close()
    throw toFailure(error, file, schema)
  }
}
