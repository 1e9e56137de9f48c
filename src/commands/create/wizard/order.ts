// The order that the wizard collects, and how many orders it needs as a batch.
import { parseDecimal } from '../../../contract/decimal.ts'
import { listWantedCards, packCards } from '../../../operations/batch/plan/pack.ts'
import type { Product } from './product.ts'

export type Order = {
  products: readonly Product[]
  wallet: string | undefined
  reference: string
}

/** How many orders a batch of these products has. */
export const countBatchOrders = (products: readonly Product[]): number => {
  const rows = products.flatMap(({ sku, quote, quantity, type = 'fixed' }) => {
    const amount = parseDecimal(quote)
    if (amount === undefined) return []
    return [{ sku, quote: amount, productType: type, quantity: Number(quantity), line: 0, cells: [] }]
  })
  return packCards(listWantedCards(rows)).orders
}
