// The products of an order, for the journal: those of a new order, and those that a response shows. They have no code.
import { formatDecimal } from '../contract/decimal.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import { formatProducts } from '../contract/ordered-products.ts'
import { findCards } from '../contract/redeem-cards.ts'
import type { Invoice, Order } from '../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../contract/states.ts'
import type { DuplicateCard } from './seen-cards.ts'

/** Undefined if they cannot be stored. */
export const formatNewProducts = (
  { productList }: Pick<OrderRequest, 'productList'>,
  invoice: Invoice,
): string | undefined =>
  formatProducts(
    productList.map(({ sku, productType, quote, quantity }) => ({
      sku,
      productType,
      quote: formatDecimal(quote),
      ordered: quantity,
      charged: findShare(invoice, sku),
    })),
  )

export const formatShownProducts = (
  { state, products, invoice, redeem }: Order,
  wallet = invoice.wallet,
  duplicates: readonly DuplicateCard[] = [],
): string | undefined => {
  const repeated = Map.groupBy(duplicates, ({ card }) => card.sku)
  const cards = hasRedeemData(state) ? Map.groupBy(findCards(redeem), ({ sku }) => sku) : new Map()
  return formatProducts(
    [...products].map(([sku, { request, shopItem }]) => ({
      sku,
      productType: shopItem.productType,
      quote: formatDecimal(request.quote),
      ordered: request.quantity,
      delivered: isFinal(state) ? (cards.get(sku)?.length ?? 0) : undefined,
      duplicates: repeated.get(sku)?.length,
      charged: findShare({ ...invoice, wallet }, sku),
    })),
  )
}

/** What the invoice charges for a product. */
const findShare = ({ wallet, records }: Invoice, sku: string): string | undefined => {
  const share = records.find((record) => record.sku === sku)?.total[wallet]
  return share === undefined ? undefined : formatDecimal(share)
}
