// Reads the products of a create request from the journal.
import { decimal } from '../contract/decimal.ts'
import type { ProductLine } from '../contract/order-request.ts'
import type { Entry } from './entry.ts'
import { readRequestLines } from './products.ts'

/** Returns undefined if the order was created elsewhere, or if its request cannot be read. */
export const readRequestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  try {
    return readRequestLines(request)?.map((line) => ({
      ...line,
      quote: decimal(line.quote),
    })) as ProductLine[]
  } catch {
    return undefined
  }
}
