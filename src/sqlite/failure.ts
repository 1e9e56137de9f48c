// Why a SQLite file of orderctl cannot be used, and what to do about it.
import { Failure } from '../errors.ts'
import { reasonOf } from '../files.ts'
import type { Schema } from './schema.ts'

/** The file is refused and was not changed. */
export const refusedFile = (what: string, file: string, { elsewhere }: Schema): Failure =>
  new Failure('local-state', `${file} ${what}`, {
    fix: `It was left untouched. ${elsewhere}, or move this one away.`,
  })

const damaged = 11
const notADatabase = 26

/** An error of SQLite or of the system as a failure; any other error as it is. */
export const asFailure = (error: unknown, file: string, schema: Schema): unknown => {
  if (error instanceof Failure) return error
  const { errcode, errno } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === undefined && errno === undefined) return error
  // Extended codes name the reason in their upper bytes.
  const code = (errcode ?? 0) & 0xff
  if (code === damaged) return refusedFile('is damaged', file, schema)
  if (code === notADatabase) return refusedFile('is not a database', file, schema)
  return new Failure('local-state', `cannot use the ${schema.name} ${file}: ${reasonOf(error)}`, {
    fix: `${schema.elsewhere}; its folder must exist, be yours to write to, and have room.`,
    cause: error,
  })
}
