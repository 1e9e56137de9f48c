// Reads the rows of a batch, finds its name, and plans its orders.

import path from 'node:path'
import { ownerOf } from '../app/journal/place.ts'
import { writeNote } from '../app/notes.ts'
import { readProductList } from '../app/products/product-list.ts'
import type { Context } from '../context.ts'
import { assistantPrefix } from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import { batchNameForm, isBatchName, normalizeBatchName } from '../operations/batch-limits.ts'
import type { Account } from '../profiles/account.ts'
import { createPlan, findEqualLines, type Plan } from './buy/save-plan.ts'
import { readBatchRows } from './input/read-file.ts'
import { formatNumbers } from './input/row-reader.ts'
import type { ColumnReading } from './screens/batches.ts'
import type { PlanOptions } from './spec.ts'

export type ReadPlan = {
  readonly plan: Plan
  /** Undefined without a file. */
  readonly reading: ColumnReading | undefined
  /** Says which products the account does not sell. */
  readonly unsold: Failure | undefined
}

export const readPlan = async (context: Context, account: Account, input: PlanOptions): Promise<ReadPlan> => {
  const name = readBatchName(input.name, input.file) ?? generateName(context)
  // `@last` skips batches with such a name, so it would mean an older batch.
  if (context.assistant === undefined && name.toLowerCase().startsWith(assistantPrefix)) {
    const problem = `the name ${JSON.stringify(name)} begins with ${assistantPrefix}, as the batches of an assistant do`
    throw createNameFailure(`${problem}; nothing was sent`)
  }
  const wallet = input.wallet ?? (account.kind === 'service' ? account.wallet : undefined)
  if (wallet === undefined) {
    throw new Failure('usage', 'the wallet is missing', {
      field: '--wallet',
      advice: 'Name the wallet to pay from, such as --wallet USD.',
    })
  }
  const list = await readProductList(context, account)
  const { rows, ...read } = await readBatchRows(context, { ...input, wallet }, list)
  return { plan: createPlan(rows, ownerOf(account), name, wallet), ...read }
}

const createNameFailure = (
  problem: string,
  advice = 'Choose another name, such as --name march-rewards.',
): Failure => new Failure('usage', problem, { field: '--name', advice })

const maxNotes = 5

/** A row that was pasted twice is bought twice. */
export const noteEqualRows = (context: Pick<Context, 'stderr'>, plan: Plan): void => {
  const equal = findEqualLines(plan)
  for (const lines of equal.slice(0, maxNotes)) {
    const all = lines.length === 2 ? 'both' : 'all'
    const numbers = lines.length === 2 ? lines.join(' and ') : formatNumbers(lines)
    writeNote(context, `Lines ${numbers} are equal; ${all} are bought\n`)
  }
  const more = equal.length - maxNotes
  if (more > 0) writeNote(context, `${more} more ${more === 1 ? 'set' : 'sets'} of equal lines\n`)
}

const generateName = ({ clock }: Context): string =>
  `batch-${new Date(clock.now()).toISOString().slice(0, 10)}-${clock.newId().replaceAll('-', '').slice(0, 6)}`

/** Undefined if the rows come from flags only, so that the caller generates a name. */
export const readBatchName = (name: string | undefined, file: string | undefined): string | undefined => {
  if (name !== undefined) {
    if (isBatchName(name)) return normalizeBatchName(name)
    throw createNameFailure(`--name is ${JSON.stringify(name)}; allowed: ${batchNameForm}`)
  }
  if (file === undefined) return undefined
  const advice =
    'Name the batch, such as --name march-rewards. The references of its orders begin with the name.'
  if (file === '-' || isPipe(file))
    throw createNameFailure('a batch from standard input or a pipe needs --name', advice)
  const fromFile = path.parse(file).name
  if (isBatchName(fromFile)) return normalizeBatchName(fromFile)
  const problem = `the file name ${JSON.stringify(fromFile)} is not a valid name for a batch`
  throw createNameFailure(`${problem}; allowed: ${batchNameForm}`, advice)
}

/** For `<(…)`, the shell makes a file with another name each time. */
const isPipe = (file: string): boolean => /^\/(dev|proc\/[^/]+)\/(fd\/|stdin$)/.test(file)
