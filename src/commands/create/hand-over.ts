// Hands an order that is too big for one order over to the command that buys a batch.
import { formatDecimal } from '../../contract/decimal.ts'
import { formatProduct } from '../../text/product-flag.ts'
import type { BatchCommand } from './batch-words.ts'
import type { Draft } from './draft.ts'
import { formatTimeout, omitDefaultType } from './equivalent-command.ts'
import type { CreateOptions } from './options.ts'
import type { Order } from './wizard/order.ts'

/** Another command that does what the user wants. `create` cannot run it itself. */
export type Handover = { readonly words: readonly string[] }

/** The flag that a batch cannot have. Undefined if a batch can do everything that was asked for. */
export const findBatchObstacle = ({ parts, isIdempotent, output }: CreateOptions): string | undefined => {
  if (parts.webhookUrl !== undefined) return '--webhook-url'
  if (isIdempotent) return '--idempotent'
  return output.isRevealed ? '--reveal' : undefined
}

/** `batch run` prompts for the cap and before it spends, also if create would confirm without a prompt. */
export const createBatchCommand = (
  { session, maxTotal, isDryRun, allowDuplicate }: CreateOptions,
  { products, wallet, reference }: Readonly<Order>,
  list: Draft['list'],
): BatchCommand => ({
  action: isDryRun ? 'plan' : 'run',
  flags: {
    product: products.map((product) => formatProduct(omitDefaultType(product, list))),
    wallet,
    name: reference,
    profile: session.profile,
    timeout: session.timeoutMs === undefined ? undefined : formatTimeout(session.timeoutMs),
    'max-total': isDryRun || maxTotal === undefined ? undefined : formatDecimal(maxTotal),
    'allow-http': session.allowHttp,
    debug: session.isTraced,
    'allow-duplicate': allowDuplicate && !isDryRun,
  },
})
