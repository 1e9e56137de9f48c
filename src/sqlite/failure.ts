// Why a SQLite file of orderctl cannot be used, and what to do that loses nothing.
import { statSync } from 'node:fs'
import path from 'node:path'
import { Failure } from '../errors.ts'
import { reasonOf } from '../files.ts'
import { backupsOf } from './backup.ts'
import type { Schema } from './schema.ts'

/** The file is refused and was not changed. */
export const refusedFile = (what: string, file: string, schema: Schema): Failure =>
  new Failure('local-state', `${file} ${what}`, { fix: `It was left untouched. ${adviceFor(file, schema)}` })

const adviceFor = (file: string, { elsewhere, loss }: Schema): string => {
  if (loss === undefined) return `${elsewhere}, or move this one away.`
  const backup = backupsOf(file).at(-1)
  const restore =
    backup === undefined
      ? 'If you have a copy of it, restore that.'
      : `A backup exists, without later orders: ${path.basename(backup)}.`
  return `${restore} If you move it away, ${loss}.`
}

const damaged = 11
const notADatabase = 26

/** By the codes of SQLite: busy, constraint. */
const adviceOn = new Map([
  [5, 'Another process is writing to it. Run the command again when that process has finished.'],
  [
    19,
    'A row of it is damaged, or orderctl has a defect. Please report it, with the command that you typed.',
  ],
])

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
    fix: adviceOn.get(code) ?? writableAdvice(file, schema),
    cause: error,
  })
}

/** Another folder would have another journal, which does not know these orders. */
const writableAdvice = (file: string, { elsewhere, loss }: Schema): string =>
  loss !== undefined && hasContent(file)
    ? 'Check that you may write to its folder, and that its disk has free space.'
    : `${elsewhere}. You must be able to write to its folder, and its disk must have free space.`

const hasContent = (file: string): boolean => {
  try {
    return statSync(file).size > 0
  } catch {
    return false
  }
}
