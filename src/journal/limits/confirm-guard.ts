// Decides whether an order may be confirmed, in the transaction that records the intent.

import type { AccountId } from '../../contract/account-id.ts'
import type { WriteAccess } from '../access.ts'
import { isApproved, readApprovalFacts } from '../batches/approval-guard.ts'
import type { Claim } from '../batches/batch.ts'
import { lockBatch, refuseConfirm, type SlotRefusal } from '../batches/slot-guard.ts'
import { inOrder } from '../database/database.ts'
import type { Entry } from '../orders/entry.ts'
import { findRival } from '../orders/queries.ts'
import { lockReference } from '../orders/write-rows.ts'
import { findExceeded, readBudgets, readCommitted, type Use } from './evaluate.ts'
import { lockLimits } from './limits.ts'

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
  | { readonly kind: 'over-limit'; readonly use: Use }
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
  const batch = known?.batch
  const { limits, cap, spent, approval, by, slotRefusal } = await inOrder({
    limits: lockLimits(access, account, wallet),
    cap: batch && lockBatch(access, batch),
    spent: batch && readCommitted(access, batch, known?.number),
    approval: batch && readApprovalFacts(access, batch),
    reference: lockReference(access, account, reference),
    by: isAllowed ? undefined : findRival(access, account, reference, known),
    slotRefusal: known && refuseConfirm(access, known, claim, at),
  })
  if (by !== undefined) return { kind: 'taken', by }
  if (slotRefusal !== undefined) return slotRefusal
  const preparing = limits.find(({ kind }) => kind === 'prepare-only')?.forRole
  if (preparing !== undefined) return { kind: 'prepare-only', role: preparing }
  const counts = findCounts(known, intent)
  const caps = cap && spent ? [{ ...cap, spent }] : []
  const use = findExceeded([...caps, ...(await readBudgets(access, account, limits, known?.number))], counts)
  const above = limits.filter(({ kind }) => kind === 'approval').map(({ amount }) => amount)
  const facts = { limits: above, approvedCaps: approval ? approval.approvedCaps : [] }
  if (use?.scope !== 'batch' && !isApproved(counts, facts, caps[0]))
    return { kind: 'not-approved', limits: above, known }
  return use === undefined ? { kind: 'allowed', reservedAt: limits[0]?.readAt } : { kind: 'over-limit', use }
}

/** An earlier confirm of the order may have been charged a higher total. */
const findCounts = (known: Entry | undefined, { wallet, counts }: Intent): bigint =>
  known?.wallet === wallet && known.counts !== undefined && known.counts > counts ? known.counts : counts
