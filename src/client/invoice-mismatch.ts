// Checks that the invoice of a new order matches the request and adds up (order-service.md 2.6 and 2.7).
import { formatAmount, formatDecimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import type { OrderRequest } from '../contract/order/order-request.ts'
import type { Invoice } from '../contract/schemas.ts'

/** Describes the first difference. */
export const findInvoiceMismatch = (invoice: Invoice, request: OrderRequest): string | undefined => {
  const { wallet } = invoice
  const difference =
    // A limit such as --max-total applies to one currency only.
    (wallet === request.wallet ? undefined : `in ${shorten(wallet)}, not in ${request.wallet}`) ??
    findOtherProducts(invoice, request) ??
    findOtherAmounts(invoice, request) ??
    findOtherTotal(invoice)
  return difference && `the response is an invoice ${difference}`
}

const findOtherProducts = ({ records }: Invoice, { productList }: OrderRequest): string | undefined => {
  const ordered = new Set(productList.map(({ sku }) => sku))
  const found = new Set(records.map(({ sku }) => sku))
  const missing = ordered.difference(found)
  const added = found.difference(ordered)
  const differences = [
    missing.size > 0 ? `without ${listSkus(missing)}` : '',
    added.size > 0 ? `with ${listSkus(added)}, not ordered` : '',
  ].filter(Boolean)
  if (differences.length > 0) return differences.join(' and ')
  return records.length === found.size ? undefined : 'with two records for one SKU'
}

const maxListed = 5

const listSkus = (skus: ReadonlySet<string>): string => {
  const listed = [...skus].slice(0, maxListed).map(shorten)
  const more = skus.size - listed.length
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Compares the quantity and quote of main products. An invoice may omit them. */
const findOtherAmounts = ({ records }: Invoice, { productList }: OrderRequest): string | undefined => {
  const lines = new Map(productList.map((line) => [line.sku, line]))
  for (const { sku, items } of records) {
    const line = lines.get(sku)
    for (const { type, metaData: { quantity, quote } = {} } of items) {
      if (line === undefined || type !== 'main-product') continue
      if (quantity !== undefined && quantity !== line.quantity)
        return `for ${quantity} × ${sku}, not for ${line.quantity}`
      if (quote !== undefined && !quote.eq(line.quote))
        return `for ${sku} at ${formatDecimal(quote)}, not at ${formatDecimal(line.quote)}`
    }
  }
  return undefined
}

/** A record may also have totals in other currencies. */
const findOtherTotal = ({ total, wallet, records }: Invoice): string | undefined => {
  const added = sum(records.map((record) => record.total[wallet] ?? zero))
  if (roundTo(wallet, added).eq(roundTo(wallet, total))) return undefined
  return `of ${formatAmount(total, wallet)}, but its records add up to ${formatAmount(added, wallet)}`
}

const maxLength = 300

/** One line of a text that a service sent. */
export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}
