// Finds the batch to export, or says why there is nothing to export.
import { Failure } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Owner } from '../../../journal/entry.ts'
import { findBatch } from '../find-batch.ts'

export const findExportable = async (batches: Batches, owner: Owner, named: string): Promise<Batch> => {
  const batch = await findBatch(batches, owner, named)
  const { name, startedAt, cancelledAt } = batch
  if (startedAt !== undefined) return batch
  if (cancelledAt !== undefined) {
    throw new Failure(
      'refused',
      `the batch ${name} has no codes, because it was cancelled before it was started`,
    )
  }
  throw new Failure('refused', `the batch ${name} has no codes yet, because it was not started`, {
    fix: (suggest) => suggest`batch run ${name}`,
  })
}

/** Returns the index of the column of --recipient. Without the flag, a column with a usual name is used. */
export const findRecipient = (
  { name, columns }: Batch,
  recipient: string | undefined,
): number | undefined => {
  if (recipient === undefined) return findUsual(columns)
  const index = columns.indexOf(recipient)
  if (index !== -1) return index
  const problem = `the batch ${name} has no column '${recipient}'`
  throw new Failure('usage', columns.length === 0 ? `${problem}, and no other columns` : problem, {
    field: '--recipient',
    fix:
      columns.length === 0
        ? 'Omit --recipient.'
        : `Use a column of the batch: ${columns.map((column) => `'${column}'`).join(', ')}`,
  })
}

const findUsual = (columns: readonly string[]): number | undefined => {
  const folded = columns.map((column) => column.trim().toLowerCase())
  return ['recipient', 'name'].map((usual) => folded.indexOf(usual)).find((index) => index !== -1)
}

export const createNoCodesFailure = ({ name }: Batch): Failure =>
  new Failure('refused', `the batch ${name} has no codes to print`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })
