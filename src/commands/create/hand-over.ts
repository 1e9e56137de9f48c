// Hands an order that is too big for one order over to the command that buys a batch.
import { formatDecimal } from '../../contract/decimal.ts'
import { formatProduct } from '../../text/product-flag.ts'
import type { BatchCommand } from './batch-words.ts'
import type { Draft } from './draft.ts'
import { formatTimeout, omitDefaultType } from './equivalent-command.ts'
import type { CreateOptions } from './spec.ts'
import type { Order } from './wizard/order.ts'

/** Another command that does what the user wants. `create` cannot run it itself. */
export type Handover = { readonly words: readonly string[] }

/** The flag that a batch cannot have. Undefined if a batch can do everything that was asked for. */
export const findBatchObstacle = ({ webhookUrl, idempotent, reveal }: CreateOptions): string | undefined => {
  if (webhookUrl !== undefined) return '--webhook-url'
  if (idempotent) return '--idempotent'
  return reveal ? '--reveal' : undefined
}

/** `batch run` prompts for the cap and before it spends, also if create would confirm without a prompt. */
export const createBatchCommand = (
  { profile, timeout, allowHttp, debug, maxTotal, dryRun, allowDuplicate }: CreateOptions,
  { products, wallet, reference }: Readonly<Order>,
  list: Draft['list'],
): BatchCommand => ({
  action: dryRun ? 'plan' : 'run',
  flags: {
    product: products.map((product) => formatProduct(omitDefaultType(product, list))),
    wallet,
    name: reference,
    profile,
    timeout: timeout === undefined ? undefined : formatTimeout(timeout),
    'max-total': dryRun || maxTotal === undefined ? undefined : formatDecimal(maxTotal),
    'allow-http': allowHttp,
    debug,
    'allow-duplicate': allowDuplicate && !dryRun,
  },
})
