// Warns of cards whose code another card has. Shows no code.
import type { DuplicateCard } from '../../operations/cards/seen-cards.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { describeCount } from '../text/amounts.ts'
import { listFirst } from '../text/fields.ts'

const maxNamed = 10

/** One warning for each other order. */
export const describeDuplicates = (orderId: string, duplicates: readonly DuplicateCard[]): string[] =>
  [...Map.groupBy(duplicates, ({ of }) => of)].map(([of, cards]) => {
    const have = cards.length === 1 ? 'has' : 'have'
    const other = of === orderId ? 'an earlier card of this order' : `a card of the order ${sanitize(of)}`
    return (
      `${describeNumbers(cards)} of the order ${sanitize(orderId)} ${have} the same code as ${other}. ` +
      "Contact the service's support."
    )
  })

/** By their numbers in the order. */
export const describeNumbers = (cards: readonly { readonly number: number }[]): string => {
  const all = cards.map(({ number }) => String(number))
  const numbers = listFirst(all, maxNamed, (more) => `${more} more`)
  const last = numbers.pop()
  return cards.length === 1 ? `card ${last}` : `cards ${numbers.join(', ')} and ${last}`
}

export type DuplicateRow = {
  /** 0 or undefined if the row was given as a flag. */
  readonly line: number | undefined
  readonly orderId: string | undefined
  readonly error: string | undefined
}

/** For the rows of a batch that got no card. Names the first of them. */
export const describeDuplicateRows = (rows: readonly DuplicateRow[]): string | undefined => {
  if (rows.length === 0) return undefined
  const named = rows.map(({ line, orderId, error = '' }) => {
    const where = [line ? `line ${line}` : '', orderId === undefined ? '' : `order ${sanitize(orderId)}`]
    return `  ${where.filter(Boolean).join(', ')}: ${sanitize(error)}`
  })
  const are = rows.length === 1 ? 'is a duplicate, so its row gets' : 'are duplicates, so their rows get'
  return [
    `${describeCount(rows.length, 'card')} ${are} no code. Contact the service's support.`,
    ...listFirst(named, maxNamed, (more) => `  and ${more} more`),
  ].join('\n')
}
