// The options of plan and run, read once from their flags.
import type { Context } from '../../context.ts'
import { type Decimal, parseDecimal, zero } from '../../contract/decimal.ts'
import { walletForm, walletPattern } from '../../contract/product-rules.ts'
import { type ProductInput, parseProduct, productForm } from '../../text/product-flag.ts'
import { createFlagReader, type FlagReader, totalForm } from '../shared/flag-reader.ts'
import {
  type OutputOptions,
  readOutputOptions,
  readSessionOptions,
  type SessionOptions,
} from '../shared/options.ts'
import { canPrompt } from '../shared/session.ts'
import type { PlanFlags, RunFlags } from './flags.ts'
import { type ColumnMap, parseColumnMap } from './input/column-map.ts'

/** The sources of the rows of a batch. */
export type PlanInput = {
  /** A file; '-' is standard input. */
  readonly file: string | undefined
  readonly products: readonly ProductInput[]
  readonly map: ColumnMap
  readonly wallet: string | undefined
  readonly name: string | undefined
}

export type PlanOptions = {
  readonly session: SessionOptions
  readonly output: OutputOptions
  readonly input: PlanInput
}

export type RunOptions = {
  readonly session: SessionOptions
  readonly output: OutputOptions
  /** Its file may be the name of a batch. */
  readonly input: PlanInput
  readonly maxTotal: Decimal | undefined
  /** Undefined: do not wait for an approval. */
  readonly approvalWaitMs: number | undefined
  readonly parallel: number
  /** Takes part in a batch that is started. */
  readonly isWorker: boolean
  readonly retriesFailed: boolean
  readonly allowDuplicate: boolean
  /** Whether the user is asked before money is spent. */
  readonly asks: boolean
  /** The command runs on a terminal, but cannot prompt. */
  readonly needsYes: boolean
}

export const readPlanOptions = (file: string | undefined, flags: PlanFlags): PlanOptions => {
  const reader = createFlagReader('batch plan')
  const input = readPlanInput(reader, file, flags)
  if (file === undefined && input.products.length === 0) {
    reader.addProblem('batch plan needs a file or --product')
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  reader.check()
  return { session, output, input: { ...input, map: parseColumnMap(flags.map ?? []) } }
}

const defaultParallel = 4
const maxParallel = 64

export const readRunOptions = (context: Context, file: string | undefined, flags: RunFlags): RunOptions => {
  const reader = createFlagReader('batch run')
  const input = readPlanInput(reader, file, flags)
  if (file === undefined && input.products.length === 0) {
    reader.addProblem('batch run needs a file, a batch or --product')
  }
  if (flags.worker === true) checkWorkerFlags(reader, file, flags)
  const maxTotal = reader.read('--max-total', flags.maxTotal, parseTotal, totalForm)
  const parallel = reader.read(
    '--parallel',
    flags.parallel,
    parseParallel,
    `a whole number from 1 to ${maxParallel}`,
  )
  const approvalWaitMs = reader.readDuration('--wait-approval', flags.waitApproval)
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  reader.check()
  return {
    ...{ session, output, maxTotal, approvalWaitMs },
    input: { ...input, map: parseColumnMap(flags.map ?? []) },
    parallel: parallel ?? defaultParallel,
    isWorker: flags.worker === true,
    retriesFailed: flags.retryFailed === true,
    allowDuplicate: flags.allowDuplicate === true,
    asks: flags.yes !== true && canPrompt(context, flags),
    needsYes: flags.yes !== true && context.stdin.isTerminal && !canPrompt(context, flags),
  }
}

/** What to buy, and for how much, was decided when the batch was started. */
const checkWorkerFlags = ({ addProblem }: FlagReader, file: string | undefined, flags: RunFlags): void => {
  if (file === undefined && flags.product !== undefined)
    addProblem('--worker needs the name of a batch', '--worker')
  const given = {
    '--product': flags.product,
    '--map': flags.map,
    '--name': flags.name,
    '--wallet': flags.wallet,
    '--retry-failed': flags.retryFailed,
    '--allow-duplicate': flags.allowDuplicate,
    '--wait-approval': flags.waitApproval,
  }
  for (const [flag, value] of Object.entries(given)) {
    if (value !== undefined)
      addProblem(`--worker takes part in a started batch, so it cannot be used with ${flag}`, flag)
  }
  if (flags.maxTotal !== undefined)
    addProblem('--worker uses the cap of the batch, so it cannot be used with --max-total', '--max-total')
}

export const parseTotal = (text: string): Decimal | undefined => {
  const total = parseDecimal(text)
  return total?.gte(zero) === true ? total : undefined
}

const parseParallel = (text: string): number | undefined =>
  /^[1-9]\d?$/.test(text) && Number(text) <= maxParallel ? Number(text) : undefined

const readPlanInput = (
  { read }: FlagReader,
  file: string | undefined,
  { product = [], wallet, name }: Pick<PlanFlags, 'product' | 'wallet' | 'name'>,
): Omit<PlanInput, 'map'> => ({
  file,
  products: product
    .map((text) => read('--product', text, parseProduct, productForm))
    .filter((each) => each !== undefined),
  wallet: read('--wallet', wallet, (text) => (walletPattern.test(text) ? text : undefined), walletForm),
  name,
})
