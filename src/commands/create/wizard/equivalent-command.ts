// The command that does the same without the wizard: a create, or a batch if one order cannot hold the cards.
import { formatDecimal } from '../../../contract/decimal.ts'
import { formatProduct, type ProductInput } from '../../../text/product-flag.ts'
import type { Flags, Suggest } from '../../../text/suggest.ts'
import type { Draft } from '../draft.ts'
import type { CreateOptions } from '../spec.ts'
import type { Order } from './order.ts'

export type AnsweredOrder = {
  readonly products: readonly ProductInput[]
  readonly wallet: string | undefined
  /** Undefined if it was generated: a second run needs a new one. */
  readonly reference: string | undefined
}

/** Quoted for a shell. It holds no secrets. */
export const formatCommand = (
  suggest: Suggest,
  { timeout, maxTotal, ...options }: CreateOptions,
  order: AnsweredOrder,
  list: Draft['list'],
): string => {
  const flags = {
    product: order.products.map((product) => formatProduct(omitDefaultType(product, list))),
    wallet: order.wallet,
    reference: order.reference,
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
const omitDefaultType = (product: ProductInput, list: Draft['list']): ProductInput => {
  const isDefault = product.type === (list?.products.get(product.sku)?.productType ?? 'fixed')
  return isDefault ? { ...product, type: undefined } : product
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)

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

type BatchCommand = {
  readonly action: 'run' | 'plan'
  readonly flags: Flags
}

/** The words after the program's name. */
export const listBatchWords = ({ action, flags }: BatchCommand): readonly string[] => [
  'batch',
  action,
  ...Object.entries(flags).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'string') return [`--${name}`, value]
      return value === true ? [`--${name}`] : []
    }),
  ),
]

/** For a shell. */
export const formatBatchCommand = (suggest: Suggest, { action, flags }: BatchCommand): string =>
  action === 'run' ? suggest`batch run ${flags}` : suggest`batch plan ${flags}`
