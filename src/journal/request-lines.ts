// Reads the products of a stored create request, with the text of each quote.
import { isProductLine } from './damage.ts'

export type RequestLine = {
  readonly sku: string
  readonly productType: string
  readonly quote: string
  readonly quantity: number
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

// TypeScript's library types do not have the source of a number yet.
const parseJson = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Keeps the text of each quote. readJson would load big.js with every journal. */
const readQuoteText: Reviver = (key, value, { source }) =>
  key === 'quote' && typeof value === 'number' ? source : value

/** Undefined if the request is damaged. */
export const readRequestLines = (request: string): RequestLine[] | undefined => {
  try {
    const { productList } = parseJson(request, readQuoteText) as { productList?: unknown }
    return Array.isArray(productList) && productList.every(isLine) ? productList : undefined
  } catch {
    return undefined
  }
}

const isLine = (line: unknown): line is RequestLine =>
  isProductLine(line, (value) => typeof value === 'string')
