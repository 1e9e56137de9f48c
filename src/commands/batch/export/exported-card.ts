// What an export keeps of a delivered card while it reads the other orders.
import type { Card } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { IssuerText } from '../../../ui/cards/instructions.ts'

export type ExportedCard = {
  readonly card: Card
  /** Only for a format that prints them. */
  readonly print?: { readonly name: string; readonly texts: readonly IssuerText[] }
}

export type KeepCards = (order: Order) => (card: Card) => ExportedCard

export const keepCards: KeepCards = () => (card) => ({ card })

/** Orders of the same product have the same texts, which are kept once. */
export const createSheetKeeper = (readIssuerTexts: (redeem: unknown) => readonly IssuerText[]): KeepCards => {
  const known = new Map<string, readonly IssuerText[]>()
  return ({ redeem, products }) => {
    const bySku = Map.groupBy(readIssuerTexts(redeem), ({ sku }) => sku)
    return (card) => {
      const { sku } = card
      const key = JSON.stringify([sku, bySku.get(sku)])
      const texts = known.get(key) ?? bySku.get(sku) ?? []
      known.set(key, texts)
      return { card, print: { name: products.get(sku)?.shopItem.name ?? sku, texts } }
    }
  }
}
