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

const valueKinds = ['code', 'pin', 'serial', 'link'] as const
type ValueKind = (typeof valueKinds)[number]

export type Matcher = {
  /** One match for each card. */
  readonly findMatches: (cards: readonly Card[]) => readonly CardMatch[]
  /** Several cards may have the same short value by chance. */
  readonly isShort: boolean
}

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
