// Formats the command that places the same order without the wizard, quoted for a shell. It holds no secrets.
import { formatDecimal } from '../../contract/decimal.ts'
import { formatProduct, type ProductInput } from '../../text/product-flag.ts'
import type { Suggest } from '../../text/suggest.ts'
import type { Draft } from './draft.ts'
import type { CreateOptions } from './spec.ts'

export type AnsweredOrder = {
  readonly products: readonly ProductInput[]
  readonly wallet: string | undefined
  /** Undefined if it was generated: a second run needs a new one. */
  readonly reference: string | undefined
}

export const formatCommand = (
  suggest: Suggest,
  { timeout, maxTotal, ...options }: CreateOptions,
  order: AnsweredOrder,
  list: Draft['list'],
): string => {
  const flags = {
    product: order.products.map((product) => formatProduct(omitDefaultType(product, list))),
    ...{ wallet: order.wallet, reference: order.reference },
    // The address may hold a token. An empty value becomes a placeholder.
    'webhook-url': options.webhookUrl === undefined ? undefined : '',
    profile: options.profile,
    timeout: timeout === undefined ? undefined : formatTimeout(timeout),
    'max-total': maxTotal && formatDecimal(maxTotal),
    'allow-http': options.allowHttp,
    'allow-duplicate': options.allowDuplicate,
    'dry-run': options.dryRun,
    reveal: options.reveal,
    debug: options.debug,
    confirm: options.confirm && !options.watch,
    watch: options.watch,
  }
  return suggest`create ${flags}`
}

/** Without a type that create would choose anyway. */
export const omitDefaultType = (product: ProductInput, list: Draft['list']): ProductInput => {
  const isDefault = product.type === (list?.products.get(product.sku)?.productType ?? 'fixed')
  return isDefault ? { ...product, type: undefined } : product
}

export const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
