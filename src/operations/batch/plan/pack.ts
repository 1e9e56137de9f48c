// Packs the wanted cards of a batch into the fewest orders that the limits allow.
import { limits } from '../../../contract/limits.ts'
import { compareTexts } from '../../../text/compare-texts.ts'
import { type BatchRow, createKeyReader, type Product } from './rows.ts'

export type Packing = {
  readonly orders: number
  /** The order of each card, counted from 0. */
  readonly orderOf: Int32Array
}

/** One product for each wanted card, in the order of the rows. */
export const listWantedCards = (rows: readonly BatchRow[]): Product[] => {
  const cards: Product[] = []
  for (const row of rows) for (let count = 0; count < row.quantity; count += 1) cards.push(row)
  return cards
}

/**
 * A line holds up to five cards of one SKU, quote and type. An order holds up to five lines, each SKU once. So there
 * are at least as many orders as lines of one SKU, and as a fifth of all lines. No more are needed: the lines, sorted by
 * SKU, are dealt to that many orders in turn, so the lines of one SKU go to different orders.
 */
export const packCards = (cards: readonly Product[]): Packing => {
  const { groups, groupOf } = groupCards(cards)
  const orders = countOrders(groups)
  const orderOf = new Int32Array(cards.length)
  for (const [card, index] of groupOf.entries()) {
    const group = groups[index] as Group
    const line = group.firstLine + Math.floor(group.packed / limits.quantityPerSku)
    group.packed += 1
    orderOf[card] = line % orders
  }
  return { orders, orderOf }
}

/** The cards of one SKU, quote and type. */
type Group = {
  readonly sku: string
  cards: number
  /** The number of its first line, among the lines of all groups. */
  firstLine: number
  packed: number
}

const groupCards = (cards: readonly Product[]) => {
  const readKey = createKeyReader()
  const indexByKey = new Map<string, number>()
  const groups: Group[] = []
  const groupOf = new Int32Array(cards.length)
  let previous: Product | undefined
  let index = 0
  for (const [at, card] of cards.entries()) {
    // The cards of a row share one object.
    if (card !== previous) {
      const key = readKey(card)
      index = indexByKey.get(key) ?? groups.length
      if (index === groups.length) {
        indexByKey.set(key, index)
        groups.push({ sku: card.sku, cards: 0, firstLine: 0, packed: 0 })
      }
      previous = card
    }
    const group = groups[index] as Group
    group.cards += 1
    groupOf[at] = index
  }
  return { groups, groupOf }
}

/** Numbers the lines by SKU. */
const countOrders = (groups: readonly Group[]): number => {
  const linesBySku = new Map<string, number>()
  let lines = 0
  for (const group of groups.toSorted((one, other) => compareTexts(one.sku, other.sku))) {
    group.firstLine = lines
    const needed = Math.ceil(group.cards / limits.quantityPerSku)
    linesBySku.set(group.sku, (linesBySku.get(group.sku) ?? 0) + needed)
    lines += needed
  }
  let orders = Math.ceil(lines / limits.skusPerOrder)
  for (const ofSku of linesBySku.values()) orders = Math.max(orders, ofSku)
  return orders
}
