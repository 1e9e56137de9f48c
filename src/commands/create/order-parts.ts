// The parts of an order that flags, the order file or the wizard give.
import type { ProductInput } from '../../text/product-flag.ts'
import type { CreateOptions } from './spec.ts'

/** Named as in the request. */
export type OrderParts = {
  readonly productList: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
  readonly webhookUrl: string | undefined
}

export const partsOf = ({ product, wallet, reference, webhookUrl }: CreateOptions): OrderParts => ({
  productList: product.length === 0 ? undefined : product,
  wallet,
  reference,
  webhookUrl,
})
