// The products of a create request, as the journal keeps it.
import { type Decimal, decimal, isDecimal } from '../contract/decimal.ts'
import { readJson } from '../contract/json.ts'
import type { ProductLine } from '../contract/order-request.ts'
import type { Entry } from './entry.ts'

type Kept = Omit<ProductLine, 'quote'> & { readonly quote: number | Decimal }

/** Undefined if the order was created elsewhere, or if its request cannot be read. */
export const requestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  if (request === undefined) return undefined
  try {
    const { productList } = readJson(request) as { productList?: unknown }
    if (!Array.isArray(productList) || !productList.every(isLine)) return undefined
    return productList.map((line) => ({
      ...line,
      quote: isDecimal(line.quote) ? line.quote : decimal(String(line.quote)),
    }))
  } catch {
    return undefined
  }
}

const isLine = (line: unknown): line is Kept => {
  const { sku, productType, quote, quantity } = (line ?? {}) as Record<string, unknown>
  return (
    typeof sku === 'string' &&
    typeof productType === 'string' &&
    typeof quantity === 'number' &&
    (isDecimal(quote) || typeof quote === 'number')
  )
}
