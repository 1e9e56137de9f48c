// The command that does without questions what the user answered: `create`, or the batch that buys a bigger order.
import { formatDecimal } from '../../../contract/decimal.ts'
import { formatProduct } from '../../../text/product-flag.ts'
import type { Flags, Suggest } from '../../../text/suggest.ts'
import type { Draft } from '../draft.ts'
import type { CreateOptions } from '../spec.ts'
import { needsBatch, type Order } from './order.ts'

/**
 * The text is quoted for a shell, and the words are for the program. `generated`: the reference that a second run would
 * generate anew. The command holds no secrets.
 */
export const writeEquivalent = (
  suggest: Suggest,
  options: CreateOptions,
  { products, wallet, reference }: Readonly<Order>,
  list: Draft['list'],
  generated: string,
): { readonly text: string; readonly words: readonly string[] } => {
  const { timeout, maxTotal, dryRun, watch } = options
  const isBatch = needsBatch(products)
  const isPlan = isBatch && dryRun
  const flags: Flags = {
    product: products.map(({ type, ...product }) => {
      // Leaves out a type that create would choose anyway.
      const isDefault = type === (list?.products.get(product.sku)?.productType ?? 'fixed')
      return formatProduct({ ...product, type: isDefault ? undefined : type })
    }),
    wallet,
    [isBatch ? 'name' : 'reference']: isBatch || reference !== generated ? reference : undefined,
    // The address may hold a token. An empty value becomes a placeholder.
    'webhook-url': options.webhookUrl === undefined ? undefined : '',
    profile: options.profile,
    timeout: timeout === undefined ? undefined : formatTimeout(timeout),
    'max-total': isPlan ? undefined : maxTotal && formatDecimal(maxTotal),
    'allow-http': options.allowHttp,
    'allow-duplicate': options.allowDuplicate && !isPlan,
    'dry-run': dryRun && !isBatch,
    reveal: options.reveal,
    debug: options.debug,
    // `batch run` prompts for the cap and before it spends, even if create would confirm without a prompt.
    confirm: options.confirm && !watch && !isBatch,
    watch: watch && !isBatch,
  }
  const flagWords = Object.entries(flags).flatMap(([flag, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'string') return [`--${flag}`, value]
      return value === true ? [`--${flag}`] : []
    }),
  )
  if (!isBatch) return { text: suggest`create ${flags}`, words: ['create', ...flagWords] }
  return isPlan
    ? { text: suggest`batch plan ${flags}`, words: ['batch', 'plan', ...flagWords] }
    : { text: suggest`batch run ${flags}`, words: ['batch', 'run', ...flagWords] }
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
