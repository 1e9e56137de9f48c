// Determines what `batch run` buys: the rows of a file and of flags, or a batch of the journal.

import { statSync } from 'node:fs'
import { writeNote } from '../../../app/notes.ts'
import { isBatchName } from '../../../cli/flags.ts'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { type Batch, findBatches } from '../../../journal/batches/batches.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Owner } from '../../../journal/orders/entries.ts'
import { savePlan } from '../../../operations/batch/plan/plan.ts'
import type { Account } from '../../../profiles/account.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import { viewOf } from '../../../ui/terminal/view.ts'
import type { RunOptions } from '../buy-spec.ts'
import { describeMissing, findBatch } from '../open-batch.ts'
import { noteEqualRows, type ReadPlan, readPlan } from '../read-plan.ts'
import { renderReading } from '../screens/column-reading.ts'

/** Returns undefined if the argument names a batch. With --worker, the argument always names a batch. */
export const readRunInput = async (
  context: Context,
  account: Account,
  options: RunOptions,
): Promise<ReadPlan | undefined> => {
  const { file, product, sheet, map, ignore, name, worker } = options
  if (worker) return undefined
  if (file === undefined || file === '-' || isFile(context.absolute(file)))
    return readPlan(context, account, options)
  const isGiven = {
    ...{ '--product': product.length > 0, '--map': map.length > 0 },
    ...{ '--sheet': sheet !== undefined, '--ignore': ignore.length > 0, '--name': name !== undefined },
  }
  const misplaced = Object.entries(isGiven).flatMap(([flag, given]) => (given ? [flag] : []))
  if (misplaced.length === 0) return undefined
  const flags = misplaced.join(', ')
  throw new Failure('usage', `${flags} needs a file, but the file ${file} does not exist`, {
    field: misplaced[0],
    advice: (suggest) => {
      const wanted =
        name === undefined && isBatchName(file) ? `use ${suggest.flags({ name: file })} instead of` : 'omit'
      const alone = product.length === 0 ? '' : ` To buy only the products of --product, ${wanted} the file.`
      return `Check the name of the file. To continue the batch ${file}, omit ${flags}.${alone}`
    },
  })
}

/** A pipe, such as that of `<(…)`, is read like a file. */
const isFile = (path: string): boolean => {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Finds the batch that the argument names. */
export const findNamedBatch = async (
  journal: Journal,
  owner: Owner,
  { file = '', worker, wallet }: RunOptions,
): Promise<Batch> => {
  const batch = await findBatch(journal, owner, file, worker ? undefined : createMissingFailure)
  if (wallet !== undefined && wallet !== batch.wallet) {
    const problem = `--wallet is ${wallet}, but the batch ${batch.name} pays from ${batch.wallet}`
    throw new Failure('usage', problem, {
      field: '--wallet',
      advice: 'To continue the batch, omit --wallet.',
    })
  }
  return batch
}

export const saveBatch = async (context: Context, journal: Journal, read: ReadPlan) => {
  const { plan, reading, unsold } = read
  const at = context.clock.now()
  if (unsold !== undefined) {
    // A batch that was started goes on, even if the product file has changed since.
    const found = await findBatches(journal.read, plan.account, plan.name)
    if (!found.some(({ id, startedAt }) => id === plan.id && startedAt !== undefined)) throw unsold
  }
  const { batch, isNew } = await savePlan(journal, plan, { at, replacesPlan: false })
  if (batch.startedAt === undefined) {
    if (reading !== undefined)
      writeNote(context, `${renderReading(reading, viewOf(context, undefined, context.stderr))}\n`)
    noteEqualRows(context, plan)
  } else if (!isNew) writeNote(context, `Continuing the batch ${sanitize(batch.name)}\n`)
  return batch
}

const createMissingFailure = (named: string, profile: string): Failure =>
  /[./\\]/.test(named)
    ? new Failure('no-batch', `no file and no batch is named '${named}'`, {
        field: named,
        fix: (suggest) => suggest`batch list`,
        advice: 'Check the name of the file.',
      })
    : new Failure('no-batch', describeMissing(named, profile), {
        fix: (suggest) => suggest`batch list`,
        advice: 'To plan a new one, use batch plan with a file or --product.',
      })
