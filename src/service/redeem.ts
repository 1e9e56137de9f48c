// Section 2.8: the redeem data of one SKU, in either documented shape. Pure.
import { type Decimal, decimal } from '../contract/decimal.ts'
import type { Card } from './cards.ts'
import type { Product, RedeemShape } from './catalogue.ts'

const dayMs = 24 * 60 * 60 * 1000

const linkTo = (sku: string): string => `https://redeem.example/${encodeURIComponent(sku)}`

export type Delivered = {
  readonly sku: string
  readonly quote: string
  readonly currency: string
  readonly cards: readonly Card[]
  readonly at: number
}

/** `product` is what the catalogue says now; a SKU that has left it since keeps its codes. */
export const redeemEntry = (
  { sku, quote, currency, cards, at }: Delivered,
  product: Product | undefined,
  forcedShape: RedeemShape | undefined,
): Record<string, unknown> => {
  const value: Decimal = decimal(quote)
  if ((forcedShape ?? product?.redeemShape ?? 'A') === 'B') {
    return { redeemPin: cards.map((card) => card.code), currency, redeemLink: linkTo(sku), value }
  }
  const withheld = new Set<string>(product?.withholds)
  const unless = (field: string, text: string): string => (withheld.has(field) ? '' : text)
  const expiresInDays = product?.expiresInDays ?? null
  return {
    redeemInstructions: product?.instructions ?? null,
    cards: cards.map((card) => ({
      redeemLink: unless('redeemLink', `${linkTo(sku)}/${card.code}`),
      redeemCardCode: unless('redeemCardCode', card.code),
      redeemSerialNumber: unless('redeemSerialNumber', card.serial),
      redeemPin: unless('redeemPin', card.pin),
      // Spec silent on a card that never expires: any text may be empty.
      expirationDate: expiresInDays === null ? '' : new Date(at + expiresInDays * dayMs).toISOString(),
    })),
    currency,
    value,
  }
}
