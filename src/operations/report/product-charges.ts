// Splits the charge of orders between their products.
import { type Decimal, decimal, zero } from '../../contract/decimal.ts'
import { countCards, parseProducts } from '../../contract/ordered-products.ts'

/** What some orders have in common. */
export type Share = {
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  readonly charged: Decimal
}

/** The orders have the same products. The shares add up to `all`. */
export const splitByProduct = (
  text: string | null,
  all: Share,
): readonly (Share & { readonly sku: string | undefined })[] => {
  const products = text === null ? undefined : parseProducts(text)
  if (products === undefined) return [{ ...all, sku: undefined }]
  const [only] = products
  if (products.length === 1 && only !== undefined) return [{ ...all, sku: only.sku }]
  const orders = decimal(String(all.orders))
  let rest = all.charged
  const shares = products.map((product) => {
    const { cards, delivered = 0 } = countCards([product])
    const charged = product.charged === undefined ? zero : decimal(product.charged).times(orders)
    rest = rest.minus(charged)
    return {
      ...{ sku: product.sku, orders: all.orders, charged },
      ...{ cards: cards * all.orders, delivered: delivered * all.orders },
    }
  })
  // An invoice may have an amount for the whole order, or the journal may not know the amounts of the products.
  const unsplit = { sku: undefined, orders: all.orders, cards: 0, delivered: 0, charged: rest }
  return rest.eq(zero) ? shares : [...shares, unsplit]
}
