// Splits the charge of orders between their products.
import { zero } from '../../contract/decimal.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import { noAmount, parseAmount, subtractAmount } from '../../contract/report/amount.ts'
import type { Share } from './tally.ts'

export type ProductShare = Share & { readonly sku: string | undefined }

/** The orders have the same products. The shares add up to `all`. */
export const splitByProduct = (text: string | null, all: Share): readonly ProductShare[] => {
  const products = text === null ? undefined : parseProducts(text)
  if (products === undefined) return [{ ...all, sku: undefined }]
  const [only] = products
  if (products.length === 1 && only !== undefined) return [{ ...all, sku: only.sku }]
  const { orders } = all
  let rest = all.amount
  const shares = products.map(({ sku, ordered, delivered = 0, duplicates = 0, charged }): ProductShare => {
    const amount = (charged === undefined ? undefined : parseAmount(charged, orders)) ?? noAmount
    rest = subtractAmount(rest, amount)
    return {
      sku,
      orders,
      cards: ordered * orders,
      amount,
      delivered: (delivered - duplicates) * orders,
      duplicates: duplicates * orders,
    }
  })
  // An invoice may have an amount for the whole order, or the journal may not know the amounts of the products.
  if (rest.scaled === 0n && rest.rest.eq(zero)) return shares
  return [...shares, { sku: undefined, orders, cards: 0, delivered: 0, duplicates: 0, amount: rest }]
}
