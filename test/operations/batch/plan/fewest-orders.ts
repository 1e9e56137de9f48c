// Finds the fewest orders for some cards by trying every order. For small demands only.
import { formatDecimal } from '../../../../src/contract/decimal.ts'
import { limits } from '../../../../src/contract/limits.ts'
import type { Product } from '../../../../src/operations/batch/plan/rows.ts'

/** The cards left to buy: for each SKU, the number of each of its products. */
type Left = readonly (readonly number[])[]

const countLeft = (cards: readonly Product[]): Left =>
  [...Map.groupBy(cards, ({ sku }) => sku).values()].map((ofSku) =>
    [
      ...Map.groupBy(ofSku, ({ quote, productType }) => `${formatDecimal(quote)} ${productType}`).values(),
    ].map(({ length }) => length),
  )

/** Equal demands have equal texts, so that each is searched once. */
const describe = (left: Left): string =>
  left
    .map((counts) => counts.toSorted().join(','))
    .sort()
    .join(' ')

/** What may be left after an order takes the cards of one product of each SKU, or of none, from `at` on. */
function* listRests(left: Left, lines: number, at = 0): Generator<Left> {
  const counts = left[at]
  if (counts === undefined) {
    yield []
    return
  }
  // To take less than possible never helps: it leaves more to buy.
  if (left.length - at > lines) for (const rest of listRests(left, lines, at + 1)) yield [counts, ...rest]
  if (lines === 0) return
  for (const rest of listRests(left, lines - 1, at + 1)) {
    for (const [index, count] of counts.entries()) {
      const remaining = counts
        .with(index, Math.max(0, count - limits.quantityPerSku))
        .filter((each) => each > 0)
      yield [remaining, ...rest]
    }
  }
}

/** Breadth first: all demands that can be left after one order, after two orders, and so on. */
export const findFewestOrders = (cards: readonly Product[]): number => {
  let reached = new Map([[describe(countLeft(cards)), countLeft(cards)]])
  for (let orders = 0; ; orders += 1) {
    if ([...reached.values()].some((left) => left.every((counts) => counts.length === 0))) return orders
    const next = new Map<string, Left>()
    for (const left of reached.values()) {
      for (const rest of listRests(left, limits.skusPerOrder)) {
        const open = rest.filter((counts) => counts.length > 0)
        next.set(describe(open), open)
      }
    }
    reached = next
  }
}
