// Reads the products of the request of an order, to compare them with those that its slot wants.
import type { Entry } from '../entry.ts'
import { readRequestLines } from '../products.ts'
import { formatLines } from './batch.ts'

/** See formatLines. Undefined if the request is missing or damaged. */
export const readOrderLines = ({ request }: Pick<Entry, 'request'>): string | undefined => {
  const lines = request === undefined ? undefined : readRequestLines(request)
  return lines === undefined ? undefined : formatLines(lines)
}
