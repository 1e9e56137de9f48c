// The columns of an order that describe its products.
import {
  countCards,
  formatProducts,
  type OrderedProduct,
  parseProducts,
} from '../contract/ordered-products.ts'
import { readRequestLines } from './request-lines.ts'

export type ProductColumns = {
  readonly products: string | null
  readonly cards: number | null
  readonly delivered: number | null
}

export const toProductColumns = (products: string | undefined): ProductColumns => {
  const parsed = products === undefined ? undefined : parseProducts(products)
  if (products === undefined || parsed === undefined) return { products: null, cards: null, delivered: null }
  const { cards, delivered } = countCards(parsed)
  return { products, cards, delivered: delivered ?? null }
}

/** The products that a request orders. `delivered` is the number of cards of each, if it is known. */
export const readRequestProducts = (
  request: string | undefined,
  delivered: 'all' | 'none' | 'unknown' = 'unknown',
): string | undefined => {
  const lines = request === undefined ? undefined : readRequestLines(request)
  const products = lines?.map(({ sku, productType, quote, quantity }): OrderedProduct => {
    const cards = { all: quantity, none: 0, unknown: undefined }[delivered]
    return { sku, productType, quote: trimZeros(quote), ordered: quantity, delivered: cards }
  })
  const text = products && formatProducts(products)
  return text !== undefined && parseProducts(text) !== undefined ? text : undefined
}

/** As big.js writes it: 25.50 is 25.5. */
const trimZeros = (quote: string): string => (quote.includes('.') ? quote.replace(/\.?0+$/, '') : quote)
