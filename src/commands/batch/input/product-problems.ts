// Checks the products of the rows against the list of the products that the account sells.
import type { BatchRow } from '../../../operations/batch/plan/rows.ts'
import { findProductProblems, type ProductProblem } from '../../shared/products/check-product.ts'
import type { ProductList } from '../../shared/products/product-list.ts'

/** A batch has many rows and few products. */
export const createProblemFinder = (list: ProductList) => {
  const known = new Map<string, readonly ProductProblem[]>()
  return (product: Pick<BatchRow, 'sku' | 'quote' | 'productType'>): readonly ProductProblem[] => {
    const key = `${product.sku}\n${product.productType}\n${product.quote.toFixed()}`
    const found = known.get(key) ?? findProductProblems(list, product)
    known.set(key, found)
    return found
  }
}
