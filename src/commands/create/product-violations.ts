// Adds the products that the account does not sell to the violations of an order.
import type { CheckedRequest } from '../../contract/order-request.ts'
import { createViolation, type Violation } from '../../contract/violations.ts'
import { findProductProblems } from '../shared/products/check-product.ts'
import type { ProductList } from '../shared/products/product-list.ts'

type Checked = {
  readonly checked: CheckedRequest
  /** Undefined if something else is wrong, too. */
  readonly fix: string | undefined
}

export const addProductViolations = (
  checked: CheckedRequest,
  document: { readonly productList?: unknown },
  list: ProductList | undefined,
): Checked => {
  const found = list === undefined ? [] : findProductViolations(document, list)
  if (found.length === 0) return { checked, fix: undefined }
  const others = 'violations' in checked ? checked.violations : []
  return { checked: { violations: [...others, ...found] }, fix: others.length === 0 ? list?.fix : undefined }
}

export const findProductViolations = (
  document: { readonly productList?: unknown },
  list: ProductList,
): Violation[] => {
  const lines: unknown[] = Array.isArray(document.productList) ? document.productList : []
  return lines.flatMap((line, index) =>
    findProductProblems(list, (line ?? {}) as object).map(({ part, allowed }) =>
      createViolation(document, ['productList', index, part], allowed),
    ),
  )
}
