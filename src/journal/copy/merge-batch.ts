// Merges what two journals know about the same batch. Nothing that either of them knows is lost.
import type { Row, Value } from '../database/database.ts'

export type MergedBatch = Readonly<
  Record<'last_slot' | 'max_total' | 'stopped' | 'started_at' | 'changed_at' | 'cancelled_at', Value>
>

/** Undefined if the batch of the target is up to date. */
export const mergeBatch = (target: Row, source: Row): MergedBatch | undefined => {
  const newer = isLarger(source.changed_at, target.changed_at) ? source : target
  const merged = {
    last_slot: isLarger(source.last_slot, target.last_slot) ? source.last_slot : target.last_slot,
    max_total: newer.max_total ?? target.max_total,
    stopped: newer.stopped,
    started_at: target.started_at ?? source.started_at,
    changed_at: newer.changed_at,
    cancelled_at: target.cancelled_at ?? source.cancelled_at,
  } as MergedBatch
  const isChanged = Object.entries(merged).some(([column, value]) => target[column] !== value)
  return isChanged ? merged : undefined
}

type Cards = { readonly batch: Row; readonly cards: readonly Row[] }

/** Returns the cards of the source that replace those of the target. */
export const mergeCards = (target: Cards, source: Cards): Row[] => {
  const ours = new Map(target.cards.map((card) => [card.card, card]))
  // The journal with the higher slots packed the cards again.
  const packed = BigInt(String(source.batch.last_slot)) - BigInt(String(target.batch.last_slot))
  return source.cards.filter((card) => {
    const known = ours.get(card.card)
    if (known === undefined || isEqual(known, card)) return false
    if (known.state === 'delivered') return false
    if (card.state === 'delivered') return true
    if (known.state === 'cancelled' || packed < 0n) return false
    return packed > 0n || known.state === 'wanted'
  })
}

const isEqual = (one: Row, other: Row): boolean =>
  ['slot', 'state', 'error', 'hash'].every((column) => one[column] === other[column])

const isLarger = (one: unknown, other: unknown): boolean => BigInt(String(one)) > BigInt(String(other))
