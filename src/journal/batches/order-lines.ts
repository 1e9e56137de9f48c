// Reads the products of the request of an order, to compare them with those that its slot wants.
import { isProductLine } from '../damage.ts'
import type { Entry } from '../entry.ts'
import { formatLines, type SlotLine } from './batch.ts'

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

// TypeScript's library types do not have the source of a number yet.
const parseJson = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Keeps the text of each quote. readJson would load big.js with every journal. */
const readQuoteText: Reviver = (key, value, { source }) =>
  key === 'quote' && typeof value === 'number' ? source : value

/** See formatLines. Undefined if the request is missing or damaged. */
export const readOrderLines = ({ request }: Pick<Entry, 'request'>): string | undefined => {
  if (request === undefined) return undefined
  try {
    const { productList } = parseJson(request, readQuoteText) as { productList?: unknown }
    return Array.isArray(productList) && productList.every(isLine) ? formatLines(productList) : undefined
  } catch {
    return undefined
  }
}

const isLine = (line: unknown): line is SlotLine => isProductLine(line, (value) => typeof value === 'string')
