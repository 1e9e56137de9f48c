// Determines what `batch run` buys: the rows of a file and of flags, or a batch of the journal.
import { statSync } from 'node:fs'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Owner } from '../../../journal/entry.ts'
import { type Plan, savePlan } from '../../../operations/batch/plan/plan.ts'
import type { Account } from '../../../profiles/account.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { isBatchName } from '../../shared/batch-name-rule.ts'
import { writeNote } from '../../shared/notes.ts'
import type { RunOptions } from '../buy-spec.ts'
import { describeMissing, findBatch } from '../open-batch.ts'
import { noteEqualRows, type PlanInput, type ReadPlan, readPlan } from '../read-plan.ts'

export type RunInput =
  | ({ readonly kind: 'plan' } & Pick<ReadPlan, 'plan' | 'unsold'>)
  | { readonly kind: 'batch'; readonly named: string; readonly wallet: string | undefined }
  /** The batch of a worker, which takes no file. */
  | { readonly kind: 'started'; readonly named: string }

export const readRunInput = async (
  context: Context,
  account: Account,
  input: PlanInput & Pick<RunOptions, 'worker'>,
): Promise<RunInput> => {
  const { file, product, map, name, wallet, worker } = input
  if (worker && file !== undefined) return { kind: 'started', named: file }
  if (file === undefined || file === '-' || isFile(context.absolute(file))) {
    return { kind: 'plan', ...(await readPlan(context, account, input)) }
  }
  const misplaced = [
    ...(product.length > 0 ? ['--product'] : []),
    ...(map.length > 0 ? ['--map'] : []),
    ...(name === undefined ? [] : ['--name']),
  ]
  if (misplaced.length > 0) {
    throw new Failure('usage', `${misplaced.join(', ')} needs a file, but the file ${file} does not exist`, {
      field: misplaced[0] ?? file,
      fix: (suggest) => {
        const wanted =
          name === undefined && isBatchName(file) ? `use ${suggest.flags({ name: file })} instead of` : 'omit'
        const alone =
          product.length === 0 ? '' : ` To buy only the products of --product, ${wanted} the file.`
        return `Check the name of the file. To continue the batch ${file}, omit ${misplaced.join(', ')}.${alone}`
      },
    })
  }
  return { kind: 'batch', named: file, wallet }
}

/** A pipe, such as that of `<(…)`, is read like a file. */
const isFile = (path: string): boolean => {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const findOrSaveBatch = async (
  { clock, stderr }: Context,
  batches: Batches,
  owner: Owner,
  input: RunInput,
): Promise<Batch> => {
  if (input.kind === 'plan') {
    const at = clock.now()
    if (input.unsold !== undefined) await refuseUnlessStarted(batches, owner, input.plan, input.unsold)
    const { batch, isNew } = await savePlan(batches, owner, input.plan, { at, replacesPlan: false })
    if (batch.startedAt === undefined) noteEqualRows({ stderr }, input.plan)
    else if (!isNew) writeNote({ stderr }, `Continuing the batch ${sanitize(batch.name)}\n`)
    return batch
  }
  if (input.kind === 'started') return findBatch(batches, owner, input.named)
  const batch = await findBatch(batches, owner, input.named, createMissingFailure)
  if (input.wallet !== undefined && input.wallet !== batch.wallet) {
    throw new Failure(
      'usage',
      `--wallet is ${input.wallet}, but the batch ${batch.name} pays from ${batch.wallet}`,
      { field: '--wallet', fix: 'To continue the batch, omit --wallet.' },
    )
  }
  return batch
}

/** A batch that was started goes on, even if the product file has changed since. */
const refuseUnlessStarted = async (
  batches: Batches,
  { account }: Owner,
  { name, id }: Plan,
  unsold: Failure,
): Promise<void> => {
  const found = await batches.findBatches(account, name)
  if (!found.some((batch) => batch.id === id && batch.startedAt !== undefined)) throw unsold
}

const createMissingFailure = (named: string, profile: string): Failure => {
  if (/[./\\]/.test(named)) {
    return new Failure('usage', `no file and no batch is named '${named}'`, {
      field: named,
      fix: (suggest) => `Check the name of the file. See the batches: ${suggest`batch list`}`,
    })
  }
  return new Failure('usage', describeMissing(named, profile), {
    fix: (suggest) =>
      `See the batches: ${suggest`batch list`}. To plan a new one, use batch plan with a file or --product.`,
  })
}
