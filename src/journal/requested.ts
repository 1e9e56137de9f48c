// What an order was asked for with, as `place` has put its request into the journal.
import { type Decimal, decimal, isDecimal } from '../contract/decimal.ts'
import { readJson } from '../contract/json.ts'
import type { ProductLine } from '../contract/order-request.ts'
import type { Entry } from './entry.ts'

type Kept = Omit<ProductLine, 'quote'> & { readonly quote: number | Decimal }

/** Undefined where the order was not placed from here. */
export const requestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  if (request === undefined) return undefined
  const { productList } = readJson(request) as { productList: Kept[] }
  return productList.map((line) => ({
    ...line,
    quote: isDecimal(line.quote) ? line.quote : decimal(String(line.quote)),
  }))
}
