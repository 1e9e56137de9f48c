// Explains why a SQLite file cannot be used and gives advice that loses no data.
import { statSync } from 'node:fs'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'

/** Describes a SQLite file of orderctl. */
export type Schema = {
  /** The word for the file in messages: 'state file'. */
  readonly name: string
  /** The instruction to use a different file: 'Choose a different state file'. */
  readonly elsewhere: string
  /** The consequence of moving the file away. Absent if the file can be replaced. */
  readonly loss?: string
  /** What to do with a damaged file instead of restoring a backup. */
  readonly remedy?: string
  /** Reads integers as bigint, because node:sqlite throws for an integer that a double cannot hold. */
  readonly readBigInts?: boolean
  readonly applicationId: number
  /** A positive fingerprint of the tables, of 31 bits. A test compares it with them. */
  readonly version: number
  readonly createSql: () => string
}

export const createFileRefusal = (what: string, file: string, schema: Schema): Failure =>
  new Failure('local-state', `${file} ${what}`, {
    advice: `It was left untouched. ${adviseOnFile(schema)}`,
  })

const adviseOnFile = ({ elsewhere, loss, remedy = 'If you have a backup, restore it.' }: Schema): string =>
  loss === undefined ? `${elsewhere}, or move this file away.` : `${remedy} If you move it away, ${loss}.`

const busy = 5
const damaged = 11
const constraint = 19
const notADatabase = 26

const adviceByCode = new Map([
  [busy, 'Another process is writing to it. Run the command again when that process has finished.'],
  [
    constraint,
    'A row is damaged, or orderctl has a defect. Please report it with the command that you typed.',
  ],
])

/** The low byte of an extended code is its primary code. */
const toPrimaryCode = (errcode = 0): number => errcode & 0xff

export const isBusy = (error: unknown): boolean =>
  toPrimaryCode((error as { readonly errcode?: number }).errcode) === busy

/** Converts an error of SQLite or the system to a failure. Returns any other error unchanged. */
export const toFailure = (error: unknown, file: string, schema: Schema): unknown => {
  if (error instanceof Failure) return error
  const { errcode, errno } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === undefined && errno === undefined) return error
  const code = toPrimaryCode(errcode)
  if (code === damaged) return createFileRefusal('is damaged', file, schema)
  if (code === notADatabase) return createFileRefusal('is not a database', file, schema)
  return new Failure('local-state', `cannot use the ${schema.name} ${file}: ${getErrorReason(error)}`, {
    advice: adviceByCode.get(code) ?? adviseWritable(file, schema),
    retryable: code === busy,
    cause: error,
  })
}

/** Never suggests a different folder for an existing journal, because a new journal would not know its orders. */
const adviseWritable = (file: string, { elsewhere, loss }: Schema): string =>
  loss !== undefined && hasContent(file)
    ? 'Check that you can write to its folder, and that its disk has free space.'
    : `${elsewhere}. You must be able to write to its folder, and its disk must have free space.`

const hasContent = (file: string): boolean => {
  try {
    return statSync(file).size > 0
  } catch {
    return false
  }
}
