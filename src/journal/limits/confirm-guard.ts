// Decides whether an order may be confirmed, in the transaction that records the intent.

import type { AccountId } from '../../contract/account-id.ts'
import type { WriteAccess } from '../access.ts'
import {
  type ApprovalFacts,
  type BatchUse,
  isApproved,
  readApprovalFacts,
} from '../batches/approval-guard.ts'
import type { Claim } from '../batches/batch.ts'
import { lockBatch, readCommitted, refuseConfirm, type SlotRefusal } from '../batches/slot-guard.ts'
import { inOrder } from '../database/database.ts'
import type { Entry } from '../orders/entry.ts'
import { findRival } from '../orders/queries.ts'
import { lockReference } from '../orders/write-rows.ts'
import { isWithin } from './committed.ts'
import { type BudgetUse, findLongest, lockLimits, readUses } from './limits.ts'

type Intent = {
  readonly account: AccountId
  readonly reference: string
  readonly wallet: string
  /** What its total counts as against limits. */
  readonly counts: bigint
  readonly allowDuplicate: boolean
  readonly claim?: Claim | undefined
  readonly at: number
}

/** A different order uses the reference, or its confirm may have spent money. */
export type ReferenceTaken = { readonly kind: 'taken'; readonly by: Entry }

export type ConfirmRefusal =
  | SlotRefusal
  | ReferenceTaken
  | { readonly kind: 'over-cap'; readonly use: BatchUse }
  | { readonly kind: 'over-budget'; readonly use: BudgetUse }
  | NotApproved
  /** The connection's role may only prepare orders. */
  | { readonly kind: 'prepare-only'; readonly role: string }

/** `limits`: the totals above which the account needs an approval. */
export type NotApproved = {
  readonly kind: 'not-approved'
  readonly limits: readonly string[]
  readonly known: Entry | undefined
}

export type Allowed = {
  readonly kind: 'allowed'
  /** When the budgets were checked, by the database's clock. Undefined without budgets. */
  readonly reservedAt: number | undefined
}

/** `known` is the order in the journal, if it is there. The caller has locked it. */
export const guardConfirm = async (
  access: WriteAccess,
  known: Entry | undefined,
  intent: Intent,
): Promise<ConfirmRefusal | Allowed> => {
  const { account, wallet, claim, at, allowDuplicate } = intent
  const reference = known?.reference ?? intent.reference
  const isAllowed = allowDuplicate || known?.duplicate === 1
  // While the batch is locked, its other confirms wait, so one round trip locks and reads. All transactions lock orders,
  // limits, the batch and the reference, in this order, so that none waits for another that waits for it.
  const { locked, batchUse, by, slotRefusal } = await inOrder({
    locked: lockLimits(access, account, wallet),
    batchUse: known && lockBatchUse(access, known),
    reference: lockReference(access, account, reference),
    by: isAllowed ? undefined : findRival(access, account, reference, known),
    slotRefusal: known && refuseConfirm(access, known, claim, at),
  })
  if (by !== undefined) return { kind: 'taken', by }
  if (slotRefusal !== undefined) return slotRefusal
  const preparing = locked.limits.find(({ kind }) => kind === 'prepare-only')?.forRole
  if (preparing !== undefined) return { kind: 'prepare-only', role: preparing }
  const counts = findCounts(known, intent)
  if (batchUse !== undefined && !isWithin(batchUse.maxTotal ?? '0', batchUse.committed, counts))
    return { kind: 'over-cap', use: batchUse }
  const limits = locked.limits.filter(({ kind }) => kind === 'approval').map(({ amount }) => amount)
  const facts = { limits, approvedCaps: batchUse?.approvedCaps ?? [] }
  if (limits.length > 0 && !isApproved(counts, facts, batchUse))
    return { kind: 'not-approved', limits, known }
  // An order that is confirmed again after a refusal counts once.
  const uses = await readUses(access, locked, account, known?.number)
  const use = findLongest(uses.filter(({ amount, spent }) => !isWithin(amount, spent, counts)))
  return use === undefined ? { kind: 'allowed', reservedAt: locked.now } : { kind: 'over-budget', use }
}

/** An earlier confirm of the order may have been charged a higher total. */
const findCounts = (known: Entry | undefined, { wallet, counts }: Intent): bigint =>
  known?.wallet === wallet && known.counts !== undefined && known.counts > counts ? known.counts : counts

/** Undefined if the order belongs to no batch. */
const lockBatchUse = async (
  access: WriteAccess,
  { batch, number }: Entry,
): Promise<(BatchUse & Pick<ApprovalFacts, 'approvedCaps'>) | undefined> => {
  if (batch === undefined) return undefined
  const { locked, committed, approval } = await inOrder({
    locked: lockBatch(access, batch),
    committed: readCommitted(access, batch, number),
    approval: readApprovalFacts(access, batch),
  })
  return { ...locked, committed, approvedCaps: approval.approvedCaps }
}
