// The errors of the input as a whole. Wrong rows are collected instead (row-reader.ts).
import { Failure, type Fix } from '../../../errors.ts'
import { batchLimits } from '../../../operations/batch/plan/rows.ts'

/** `problem` continues the name of the file: 'is empty'. */
export type InputError = (problem: string, fix?: Fix) => Failure

export const createInputError =
  (file: string): InputError =>
  (problem, fix = 'orderctl batch plan --help') =>
    new Failure('usage', `${file === '-' ? 'standard input' : file} ${problem}; nothing was sent`, {
      field: file,
      fix,
    })

export const formatCount = (count: number): string => count.toLocaleString('en-US')

export const createTooManyRows = (count: number, createError: InputError): Failure =>
  createError(
    `has ${formatCount(count)} rows; a batch holds at most ${formatCount(batchLimits.rows)}`,
    'Split it into several batches.',
  )
