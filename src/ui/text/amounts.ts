// Formats amounts, counts, sizes of files, and the products of an order.
import {
  type Decimal,
  formatAmount,
  getMinorDigits,
  groupDigits,
  zero,
} from '../../contract/money/decimal.ts'
import type { OrderedProduct } from '../../contract/order/ordered-products.ts'
import { sanitize } from '../terminal/sanitize.ts'

/** With the currency's minor units, but without the currency. */
export const formatBareMoney = (amount: Decimal, currency: string): string =>
  groupDigits(amount, getMinorDigits(currency))

/** The currency comes last so that columns align. */
export const formatMoney = (amount: Decimal, currency: string): string =>
  formatAmount(amount, sanitize(currency))

/** For rates and percentages. */
export const formatNumber = (value: Decimal): string => groupDigits(value, 0)

/** '1 card', '2 cards'. */
export const describeCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

/** The note about a file of cards. Windows has no modes. */
export const describeExport = (cards: number, file: string, platform: string): string => {
  const rights = platform === 'win32' ? '' : ', readable only by you (mode 0600)'
  return `Wrote ${describeCount(cards, 'card')} with codes to ${sanitize(file)}${rights}\n`
}

/** 'GAME-US (Game Card US)' */
export const describeSku = (sku: string, name: string | null | undefined): string =>
  name == null ? sanitize(sku) : `${sanitize(sku)} (${sanitize(name)})`

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** '832 bytes', '1.2 MiB'. */
export const formatBytes = (bytes: number): string => {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** '2 × GAME-US 25, 1 × BOOK-DE 7.50' */
export const describeProducts = (
  products: readonly Pick<OrderedProduct, 'sku' | 'quote' | 'ordered'>[],
): string => products.map(({ sku, quote, ordered }) => `${ordered} × ${sku} ${padCents(quote)}`).join(', ')

const padCents = (quote: string): string => quote.replace(/\.\d$/, '$&0')

/** About failed cards, before they are ordered again. `who` has charged for them. */
export const writeRepayAdvice = (who: string, charged: Decimal | undefined, wallet: string): string[] =>
  charged?.gt(zero)
    ? [
        `${who} already charged ${formatMoney(charged, wallet)} for them. Order them again only after the refund.`,
      ]
    : []
