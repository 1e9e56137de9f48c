// Finds the cards that have a code, PIN, serial number or link.
import type { Card } from '../../contract/redeem-cards.ts'
import { foldCode, isShort } from '../seen-cards.ts'

export type CardMatch = {
  /** The number of the card in the order, counted as redeem counts it. */
  readonly number: number
  readonly sku: string
  readonly kind: ValueKind
  /** False if the value differs in case, spaces or dashes. */
  readonly isExact: boolean
}

const shownKinds = ['code', 'pin', 'serial'] as const
const valueKinds = [...shownKinds, 'link'] as const
type ValueKind = (typeof valueKinds)[number]

export type Matcher = {
  /** One match for each card. */
  readonly findMatches: (cards: readonly Card[]) => readonly CardMatch[]
  /** Several cards may have the same short value by chance. */
  readonly isShort: boolean
}

/**
 * Finds the cards whose masked code, PIN or serial number shows these last letters. `mask` shows them of long values
 * only, so that the letters are never a whole value.
 */
export const createEndMatcher = (letters: string, mask: (value: string) => string): Matcher => ({
  findMatches: (cards) =>
    cards.flatMap((card, index): CardMatch[] => {
      const kind = shownKinds.find((each) => foldCode(mask(card[each] ?? '')).endsWith(foldCode(letters)))
      return kind === undefined ? [] : [{ number: index + 1, sku: card.sku, kind, isExact: false }]
    }),
  isShort: true,
})

/** Undefined if the value has no letter or digit. */
export const createMatcher = (value: string): Matcher | undefined => {
  const exact = value.trim()
  const normal = foldCode(exact)
  if (!/[\p{L}\p{N}]/u.test(normal)) return undefined
  const findMatches = (cards: readonly Card[]): CardMatch[] =>
    cards.flatMap((card, index): CardMatch[] => {
      const kinds = valueKinds.filter((kind) => foldCode(card[kind]) === normal)
      const same = kinds.find((kind) => card[kind]?.trim() === exact)
      const kind = same ?? kinds[0]
      const { sku } = card
      return kind === undefined ? [] : [{ number: index + 1, sku, kind, isExact: same !== undefined }]
    })
  return { findMatches, isShort: isShort(normal) }
}
