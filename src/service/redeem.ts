// The redeem data of one SKU, in either documented shape (order-service.md 2.8).
import { type Decimal, decimal } from '../contract/decimal.ts'
import { dayMs } from '../contract/duration.ts'
import type { Card } from './cards.ts'
import type { Product, RedeemShape } from './catalogue.ts'

const writeLink = (sku: string): string => `https://redeem.example/${encodeURIComponent(sku)}`

export type DeliveredLine = {
  readonly sku: string
  readonly quote: string
  readonly currency: string
  readonly cards: readonly Card[]
  readonly at: number
}

/** `product` comes from the current catalogue, which may no longer have the SKU. */
export const createRedeemData = (
  { sku, quote, currency, cards, at }: DeliveredLine,
  product: Product | undefined,
  forcedShape: RedeemShape | undefined,
): Record<string, unknown> => {
  const value: Decimal = decimal(quote)
  if ((forcedShape ?? product?.redeemShape ?? 'A') === 'B') {
    return { redeemPin: cards.map((card) => card.code), currency, redeemLink: writeLink(sku), value }
  }
  const withheld = new Set<string>(product?.withholds)
  const clearWithheld = (field: string, text: string): string => (withheld.has(field) ? '' : text)
  const expiresInDays = product?.expiresInDays ?? null
  return {
    redeemInstructions: product?.instructions ?? null,
    cards: cards.map((card) => ({
      redeemLink: clearWithheld('redeemLink', `${writeLink(sku)}/${card.code}`),
      redeemCardCode: clearWithheld('redeemCardCode', card.code),
      redeemSerialNumber: clearWithheld('redeemSerialNumber', card.serial),
      redeemPin: clearWithheld('redeemPin', card.pin),
      // Spec silent: the date of a card that never expires. Any text may be empty.
      expirationDate: expiresInDays === null ? '' : new Date(at + expiresInDays * dayMs).toISOString(),
    })),
    currency,
    value,
  }
}
