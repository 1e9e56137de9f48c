// The options of create, read once from its flags.
import type { Context } from '../../context.ts'
import { type Decimal, parseDecimal } from '../../contract/decimal.ts'
import { parseProduct, productForm } from '../../text/product-flag.ts'
import { createFlagReader, totalForm } from '../shared/flag-reader.ts'
import {
  type OutputOptions,
  readOutputOptions,
  readSessionOptions,
  type SessionOptions,
} from '../shared/options.ts'
import { canPrompt } from '../shared/session.ts'
import type { CreateFlags } from './flags.ts'
import type { OrderParts } from './order-parts.ts'

/** An earlier order, and whether only the cards that it did not deliver are ordered again. */
export type AgainOptions = { readonly order: string; readonly onlyMissing: boolean }

export type CreateOptions = {
  readonly session: SessionOptions
  readonly output: OutputOptions
  /** An order file; '-' is standard input. */
  readonly file: string | undefined
  readonly parts: OrderParts
  readonly again: AgainOptions | undefined
  readonly isConfirmed: boolean
  /** Implies isConfirmed. */
  readonly isWatched: boolean
  readonly maxTotal: Decimal | undefined
  readonly isIdempotent: boolean
  readonly allowDuplicate: boolean
  readonly isDryRun: boolean
  readonly canPrompt: boolean
}

/** What create prints instead of placing an order. All other flags are then ignored. */
export const readTemplate = ({ skeleton, schema }: CreateFlags): 'skeleton' | 'schema' | undefined =>
  schema === true ? 'schema' : skeleton === true ? 'skeleton' : undefined

export const readCreateOptions = (
  context: Context,
  file: string | undefined,
  flags: CreateFlags,
): CreateOptions => {
  const reader = createFlagReader('create')
  const { read, addProblem, check } = reader
  const isConfirmed = flags.confirm === true || flags.watch === true
  const isIdempotent = flags.idempotent === true
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  if (flags.maxTotal !== undefined && !isConfirmed) addProblem('--max-total needs --confirm or --watch')
  if (isIdempotent && flags.allowDuplicate === true) {
    addProblem('--idempotent cannot be used with --allow-duplicate')
  }
  if (isIdempotent && file === undefined && flags.reference === undefined) {
    addProblem('--idempotent needs --reference, because it finds the earlier order by its reference')
  }
  if (flags.again !== undefined && (file !== undefined || flags.product !== undefined)) {
    addProblem('--again takes the products of the order, so it cannot be used with --product or a file')
  }
  if (flags.missing === true && flags.again === undefined) addProblem('--missing needs --again')
  const productList = flags.product
    ?.map((text) => read('--product', text, parseProduct, productForm))
    .filter((product) => product !== undefined)
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  return {
    ...{ session, output, file, maxTotal, isConfirmed, isIdempotent },
    parts: { productList, wallet: flags.wallet, reference: flags.reference, webhookUrl: flags.webhookUrl },
    again:
      flags.again === undefined ? undefined : { order: flags.again, onlyMissing: flags.missing === true },
    isWatched: flags.watch === true,
    allowDuplicate: flags.allowDuplicate === true,
    isDryRun: flags.dryRun === true,
    canPrompt: output.format === 'screen' && canPrompt(context, flags),
  }
}
