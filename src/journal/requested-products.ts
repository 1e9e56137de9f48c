// Reads the products of a create request from the journal.
import { type Decimal, decimal, isDecimal } from '../contract/decimal.ts'
import { readJson } from '../contract/json.ts'
import type { ProductLine } from '../contract/order-request.ts'
import { isProductLine } from './damage.ts'
import type { Entry } from './entry.ts'

type StoredLine = Omit<ProductLine, 'quote'> & { readonly quote: number | Decimal }

/** Returns undefined if the order was created elsewhere, or if its request cannot be read. */
export const readRequestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  if (request === undefined) return undefined
  try {
    const { productList } = readJson(request) as { productList?: unknown }
    if (!Array.isArray(productList) || !productList.every(isStoredLine)) return undefined
    return productList.map((line) => ({
      ...line,
      quote: isDecimal(line.quote) ? line.quote : decimal(String(line.quote)),
    }))
  } catch {
    return undefined
  }
}

const isStoredLine = (line: unknown): line is StoredLine =>
  isProductLine(line, (value) => typeof value === 'number' || isDecimal(value))
