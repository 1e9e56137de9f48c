// Merges what two journals know about the same order. Nothing that either of them knows is lost.
import { mergeProducts } from '../../contract/ordered-products.ts'
import type { Row } from '../database/database.ts'
import { type Call, isOpen, isUnproven, journalOnlyStates } from '../entry.ts'
import { toProductColumns } from '../product-columns.ts'
import { fromRow } from '../row.ts'
import { canFollow } from '../state-writer.ts'
import { type MergedCalls, mergeCalls } from './merge-calls.ts'

/** An order with its calls, as they are stored. */
export type StoredOrder = { readonly order: Row; readonly calls: readonly Row[] }

export type MergedOrder = MergedCalls & {
  /** Undefined if the target's order is up to date. */
  readonly order: Row | undefined
}

/** Columns that never change once they have a value. */
export const fixedColumns = [
  ...['order_id', 'request', 'total', 'wallet', 'created_at', 'expires_at', 'batch', 'slot'],
] as const

const mergedColumns = [
  ...fixedColumns,
  ...['standing', 'duplicate', 'changed_at', 'confirmed_at', 'unconfirmed_at', 'reserved_at', 'seen_at'],
  ...['products', 'cards', 'delivered', 'charged'],
] as const

export const mergeOrder = (target: StoredOrder, source: StoredOrder): MergedOrder => {
  const [ours, theirs] = [target.order, source.order]
  const isConfirmed = ours.confirmed_at !== null || theirs.confirmed_at !== null
  const changedAt = max(ours.changed_at, theirs.changed_at)
  const merged = mergeCalls(target.calls, source.calls, isConfirmed ? changedAt : undefined)
  const calls = merged.all.map((row) => fromRow<Call>(row))
  const mayHaveSpent = isConfirmed || calls.some(isUnproven)
  const order: Record<string, unknown> = {
    ...Object.fromEntries(fixedColumns.map((column) => [column, ours[column] ?? theirs[column]])),
    duplicate: max(ours.duplicate, theirs.duplicate),
    standing: isConfirmed ? mergeConfirmed(ours, theirs) : mergeUnconfirmed(ours, theirs, calls),
    changed_at: changedAt,
    seen_at: max(ours.seen_at, theirs.seen_at),
    confirmed_at: ours.confirmed_at ?? theirs.confirmed_at,
    unconfirmed_at: mergeProof(ours, theirs, merged),
    reserved_at: mayHaveSpent ? max(ours.reserved_at, theirs.reserved_at) : null,
    ...mergeDetails(ours, theirs),
  }
  const isChanged = mergedColumns.some((column) => order[column] !== ours[column])
  return { ...merged, order: isChanged ? { ...order, number: ours.number } : undefined }
}

const mergeConfirmed = (ours: Row, theirs: Row): unknown => {
  if (theirs.confirmed_at === null) return ours.standing
  if (ours.confirmed_at === null) return theirs.standing
  const [our, their] = [String(ours.standing), String(theirs.standing)]
  // An undocumented state can come before and after others.
  const isTheirs =
    canFollow(our, their) && (!canFollow(their, our) || isLater(theirs.changed_at, ours.changed_at))
  return isTheirs ? theirs.standing : ours.standing
}

/** The higher, the more is known. */
const rankOf = (state: unknown): number => {
  if (state === journalOnlyStates.unanswered) return 0
  if (state === journalOnlyStates.notSent || state === journalOnlyStates.refused) return 1
  return 2
}

const mergeUnconfirmed = (ours: Row, theirs: Row, calls: readonly Call[]): unknown => {
  const { unknown, expired } = journalOnlyStates
  if (calls.some((call) => call.operation === 'confirm' && isOpen(call))) return unknown
  const known = [ours, theirs].filter(({ standing }) => standing !== unknown)
  const [first = ours, second = first] = known
  // The proof of one journal does not cover a confirm that only the other one knows.
  const unexpired = known.find(({ standing }) => rankOf(standing) === 2 && standing !== expired)
  const isAnyExpired = known.some(({ standing }) => standing === expired)
  if (isAnyExpired && unexpired !== undefined && calls.some(isUnproven)) return unexpired.standing
  const difference = rankOf(second.standing) - rankOf(first.standing)
  const isSecond = difference > 0 || (difference === 0 && isLater(second.changed_at, first.changed_at))
  return isSecond ? second.standing : first.standing
}

/** A confirm makes an earlier proof that the order was unconfirmed worthless. */
const mergeProof = (
  ours: Row,
  theirs: Row,
  { inserts, hasOwnConfirm, isPostponed }: MergedCalls,
): unknown => {
  const isConfirmedAgain = isPostponed || inserts.some(({ operation }) => operation === 'confirm')
  if (hasOwnConfirm) return isConfirmedAgain ? null : ours.unconfirmed_at
  return isConfirmedAgain ? theirs.unconfirmed_at : (theirs.unconfirmed_at ?? ours.unconfirmed_at)
}

/** The products and the amount of the side that changed last win. */
const mergeDetails = (ours: Row, theirs: Row): Row => {
  const [first, last] = isLater(ours.changed_at, theirs.changed_at) ? [theirs, ours] : [ours, theirs]
  const columns = toProductColumns(mergeProducts(toText(first.products), toText(last.products)))
  return {
    products: columns.products,
    cards: toBigInt(columns.cards),
    delivered: toBigInt(columns.delivered),
    charged: last.charged ?? first.charged,
  }
}

const toText = (value: unknown): string | undefined => (value === null ? undefined : String(value))
const toBigInt = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

const isLater = (one: unknown, other: unknown): boolean => BigInt(String(one)) > BigInt(String(other))

const max = (one: unknown, other: unknown): unknown => {
  if (one === null || other === null) return one ?? other
  return isLater(other, one) ? other : one
}
