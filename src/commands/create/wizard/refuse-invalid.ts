// Refuses parts of an order that are wrong, before the wizard asks for the missing ones.
import type { Context } from '../../../context.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { completeDraft, type Draft } from '../draft.ts'
import { checkQuantity } from './checks.ts'
import { needsBatch } from './order-size.ts'

/** Throws every violation. More products than one order holds may become a batch. */
export const refuseInvalid = (context: Context, draft: Draft, batchObstacle: string | undefined): void => {
  const placeholder = [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const given = draft.parts.productList ?? placeholder
  const isBatch = batchObstacle === undefined && needsBatch(given)
  const lists = isBatch ? given.map((each) => [reduceToOne(each)]) : [given]
  const list = draft.parts.productList === undefined ? undefined : draft.list
  for (const productList of lists) {
    completeDraft(context, { ...draft, parts: { ...draft.parts, productList }, list, defaultWallet: 'USD' })
  }
}

/** The limits of one order do not apply to a batch. */
const reduceToOne = (product: ProductInput): ProductInput => ({
  ...product,
  quantity: checkQuantity(product.quantity, 1, undefined) === undefined ? '1' : product.quantity,
})
