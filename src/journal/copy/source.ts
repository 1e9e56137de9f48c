// Opens the journal that is copied, and refuses a file that is not one.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { toFailure } from '../../sqlite/failure.ts'
import { openForReading } from '../../sqlite/open.ts'
import type { Row } from '../database/database.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { schema } from '../tables/list.ts'
import type { Table } from '../tables/table.ts'

export type CopySource = Awaited<ReturnType<typeof openSource>>

/** SQL: the row belongs to an account that is copied. The orders of the sandbox stay on each machine. */
export const isCopied = `account IN (SELECT number FROM accounts WHERE address <> '${sandboxAddress}')`

/** Throws if the file is not a journal of this version. */
export const openSource = async (file: string) => {
  const convert = (error: unknown) => toFailure(error, file, schema)
  refuseOtherFile(file, convert)
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, { now: Date.now, convert })
  /** For each table, the numbers that the target has for rows of the source. */
  const numbers: Record<string, ReadonlyMap<unknown, bigint>> = {}

  /** The rows refer to other rows by the numbers that these have in the target. */
  const readRows = async ({ name, columns }: Table, rest: string): Promise<Row[]> => {
    const rows = await all(`SELECT ${name}.* FROM ${name} ${rest}`)
    return rows.map((row) => {
      const mapped = { ...row }
      for (const [column, { references = '' }] of Object.entries(columns)) {
        const known = numbers[references]
        if (known !== undefined) mapped[column] = known.get(row[column]) ?? null
      }
      return mapped
    })
  }

  /** Reads the rows in the order of their numbers, some at a time. */
  async function* readChunks(table: Table, condition: string, size: number): AsyncGenerator<readonly Row[]> {
    for (let after: unknown = 0n; after !== undefined; ) {
      const next = `WHERE number > ${after} AND ${condition} ORDER BY number LIMIT ${size}`
      const rows = await readRows(table, next)
      if (rows.length > 0) yield rows
      after = rows.at(-1)?.number
    }
  }

  try {
    opened.exec('BEGIN')
    const [row] = await all('SELECT id FROM orderctl_journal')
    return { id: String(row?.id), numbers, all, readRows, readChunks, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw convert(error)
  }
}

/** The file was named by the user, so a wrong one is no damaged journal. An empty one is refused when it is opened. */
const refuseOtherFile = (file: string, convert: (error: unknown) => unknown): void => {
  const refuse = (what: string): Failure =>
    new Failure('usage', `--from: ${file} ${what}; nothing was copied`, {
      field: '--from',
      fix: (suggest) =>
        `Name the file journal.db in the state folder of a machine. See where it is: ${suggest`journal status --profile sandbox`}`,
    })
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw refuse('does not exist')
  if (!stats.isFile()) throw refuse('is not a file')
  if (stats.size > 0 && !hasJournalHeader(file, convert)) throw refuse('is not a journal of orderctl')
}

/** The place of the application id in the header of a SQLite file. */
const applicationIdAt = 68

const hasJournalHeader = (file: string, convert: (error: unknown) => unknown): boolean => {
  const header = Buffer.alloc(100)
  try {
    const descriptor = openSync(file, 'r')
    const length = readSync(descriptor, header)
    closeSync(descriptor)
    if (length < header.length) return false
  } catch (error) {
    throw convert(error)
  }
  const isDatabase = header.toString('latin1').startsWith('SQLite format 3\0')
  // The id of a new journal may still be in its log.
  return isDatabase && [0, schema.applicationId].includes(header.readUInt32BE(applicationIdAt))
}
