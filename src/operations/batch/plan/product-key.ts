// The identity of a product as text: its SKU, type and quote.
import { type Decimal, formatDecimal } from '../../../contract/decimal.ts'
import type { Product } from './rows.ts'

/** Returns a function that returns the same text for equal products only. It formats each quote object once. */
export const createKeyReader = (): ((product: Product) => string) => {
  const formatQuote = createQuoteFormatter()
  // Neither a SKU nor a type holds a line break.
  return ({ sku, quote, productType }) => `${sku}\n${productType}\n${formatQuote(quote)}`
}

/** 25, 25.0 and 2.5e1 are one text. */
export const createQuoteFormatter = (): ((quote: Decimal) => string) => {
  const texts = new Map<Decimal, string>()
  return (quote) => {
    const known = texts.get(quote)
    if (known !== undefined) return known
    const text = formatDecimal(quote)
    texts.set(quote, text)
    return text
  }
}
