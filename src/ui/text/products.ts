// The products of an order on one line.

type Product = {
  readonly sku: string
  /** An exact decimal. */
  readonly quote: string
  readonly ordered: number
}

/** '2 × GAME-US 25, 1 × BOOK-DE 7.50' */
export const describeProducts = (products: readonly Product[]): string =>
  products.map(({ sku, quote, ordered }) => `${ordered} × ${sku} ${padCents(quote)}`).join(', ')

const padCents = (quote: string): string => quote.replace(/\.\d$/, '$&0')
