// The products of an order on one line.

import type { OrderedProduct } from '../../contract/ordered-products.ts'

/** '2 × GAME-US 25, 1 × BOOK-DE 7.50' */
export const describeProducts = (
  products: readonly Pick<OrderedProduct, 'sku' | 'quote' | 'ordered'>[],
): string => products.map(({ sku, quote, ordered }) => `${ordered} × ${sku} ${padCents(quote)}`).join(', ')

const padCents = (quote: string): string => quote.replace(/\.\d$/, '$&0')
