// Merges what two journals know about the same order. Nothing that either of them knows is lost.
import { mergeProducts } from '../../contract/ordered-products.ts'
import type { Row } from '../database/database.ts'
import { type Call, isOpen, isUnproven } from '../entry.ts'
import { toProductColumns } from '../products.ts'
import { fromRow } from '../row.ts'
import { findResult, type Result } from '../standings.ts'
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
  ...[
    'standing',
    'void_reason',
    'service_state',
    'result',
    'confirms',
    'duplicate',
    'changed_at',
    'confirmed_at',
    'unconfirmed_at',
    'reserved_at',
    'seen_at',
  ],
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
    ...mergeStanding(ours, theirs, calls),
    service_state: (isLater(theirs.changed_at, ours.changed_at) ? theirs : ours).service_state,
    result: isConfirmed ? mergeResult(ours, theirs) : null,
    confirms: max(ours.confirms, theirs.confirms),
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

/** The higher, the more is known. */
const rankOf = ({ standing, order_id }: Row): number => {
  if (standing === 'creating') return 0
  return order_id === null ? 1 : 2
}

const mergeStanding = (
  ours: Row,
  theirs: Row,
  calls: readonly Call[],
): Pick<Row, 'standing' | 'void_reason'> => {
  if (ours.confirmed_at !== null || theirs.confirmed_at !== null)
    return { standing: 'confirmed', void_reason: null }
  const unproven = calls.filter(isUnproven)
  if (unproven.length > 0)
    return { standing: unproven.some(isOpen) ? 'confirming' : 'doubtful', void_reason: null }
  const difference = rankOf(theirs) - rankOf(ours)
  const isTheirs = difference > 0 || (difference === 0 && isLater(theirs.changed_at, ours.changed_at))
  const { standing, void_reason } = isTheirs ? theirs : ours
  return standing === 'confirming' || standing === 'doubtful'
    ? { standing: 'pending', void_reason: null }
    : { standing, void_reason }
}

const mergeResult = (ours: Row, theirs: Row): Result | null => {
  const known = (ours.result ?? undefined) as Result | undefined
  return findResult(known, String(theirs.result ?? '')) ?? null
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
