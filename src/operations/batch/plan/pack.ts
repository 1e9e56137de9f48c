// Packs the wanted cards of a batch into the fewest orders that the limits allow.
import { orderLimits } from '../../../contract/limits.ts'
import { compareTexts } from '../../../text/words.ts'
import { formatProductKey, type Product } from './rows.ts'

/** The cards of one SKU, quote and type. `next` is the index of its next card in the lines of all groups. */
type Group = { readonly sku: string; cards: number; next: number }

/**
 * A line holds up to five cards of one SKU, quote and type. An order holds up to five lines, each SKU once. So there
 * are at least as many orders as lines of one SKU, and as a fifth of all lines. No more are needed: the lines, sorted
 * by SKU, are dealt to that many orders in turn. So the lines of one SKU go to different orders.
 */
export const packRows = (rows: readonly (Product & { readonly quantity: number })[]) => {
  const groups = new Map<string, Group>()
  const groupOf = rows.map((row) => {
    const key = formatProductKey(row)
    const group = groups.get(key) ?? { sku: row.sku, cards: 0, next: 0 }
    group.cards += row.quantity
    groups.set(key, group)
    return group
  })

  const linesBySku = new Map<string, number>()
  let lines = 0
  for (const group of [...groups.values()].sort((one, other) => compareTexts(one.sku, other.sku))) {
    const needed = Math.ceil(group.cards / orderLimits.quantityPerSku)
    group.next = lines * orderLimits.quantityPerSku
    linesBySku.set(group.sku, (linesBySku.get(group.sku) ?? 0) + needed)
    lines += needed
  }
  const least = Math.ceil(lines / orderLimits.skusPerOrder)
  const orders = linesBySku.values().reduce((most, ofSku) => Math.max(most, ofSku), least)

  /** The number of the order that buys each card. Cards follow the rows. Both numbers start at 0. */
  const orderOf = new Int32Array(rows.reduce((sum, { quantity }) => sum + quantity, 0))
  let card = 0
  for (const [index, group] of groupOf.entries()) {
    const end = card + (rows[index]?.quantity ?? 0)
    for (; card < end; card += 1) {
      orderOf[card] = Math.floor(group.next / orderLimits.quantityPerSku) % orders
      group.next += 1
    }
  }
  return { orders, orderOf }
}
