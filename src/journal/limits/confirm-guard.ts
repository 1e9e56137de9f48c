// Decides whether an order may be confirmed, in the transaction that records the intent.
import type { AccountId } from '../../contract/account-id.ts'
import { type IsApproved, readApprovalFacts } from '../batches/approval-guard.ts'
import type { Claim } from '../batches/batch.ts'
import { holdLease } from '../batches/hold-lease.ts'
import type { Committed, SlotRefusal } from '../batches/slot-guard.ts'
import type { Entry } from '../entry.ts'
import type { Tables } from '../tables.ts'
import { type BudgetUse, findLongest } from './budgets.ts'

/** Undefined for `maxTotal`: nobody has consented to a cap yet. */
type IsWithinCap = (committed: readonly Committed[], maxTotal: string | undefined) => boolean

export type ConfirmChecks = {
  /** Whether the batch may spend this order's total besides what it has spent and may still spend. */
  readonly isWithinCap?: IsWithinCap | undefined
  /** Whether a budget of the account allows this order's total besides what counts against it. */
  readonly isWithinBudget: (use: BudgetUse) => boolean
  /** Without it, an account that needs approvals confirms nothing. */
  readonly isApproved?: IsApproved | undefined
}

type Intent = ConfirmChecks & {
  readonly account: AccountId
  readonly reference: string
  readonly wallet: string
  readonly allowDuplicate: boolean
  readonly claim?: Claim | undefined
  readonly at: number
}

export type ConfirmRefusal =
  | SlotRefusal
  | { readonly kind: 'over-cap' }
  | { readonly kind: 'over-budget'; readonly use: BudgetUse }
  | NotApproved

/** `limits`: the totals above which the account needs an approval. */
export type NotApproved = {
  readonly kind: 'not-approved'
  readonly limits: readonly string[]
  readonly known: Entry | undefined
}

type Allowed = {
  readonly kind: 'allowed'
  /** When the budgets were checked, by the clock of the database. Undefined without budgets. */
  readonly reservedAt: number | undefined
}

/** `known` is the order in the journal, if it is there. The caller has locked it. */
export const guardConfirm = async (
  tables: Tables,
  known: Entry | undefined,
  intent: Intent,
): Promise<ConfirmRefusal | Allowed> => {
  const { account, wallet, isWithinBudget } = intent
  // Transactions lock orders, limits, the batch and the reference, in this order, so that none waits for another that
  // waits for it.
  const locked = await tables.budgets.lockLimits(account, wallet)
  const refusal = await refuseConfirm(tables, known, intent)
  if (refusal !== undefined) return refusal
  const limits = locked.limits.filter(({ kind }) => kind === 'approval').map(({ amount }) => amount)
  if (limits.length > 0 && !(await isApproved(tables, known, { limits, isApproved: intent.isApproved })))
    return { kind: 'not-approved', limits, known }
  // An order that is confirmed again after a refusal counts once.
  const uses = await tables.budgets.readUses(locked, {
    ...{ account, except: known?.number, isConfirming: true },
  })
  const use = findLongest(uses.filter((each) => !isWithinBudget(each)))
  return use === undefined ? { kind: 'allowed', reservedAt: locked.now } : { kind: 'over-budget', use }
}

const refuseConfirm = async (
  { statements, queries, rows, slots }: Tables,
  known: Entry | undefined,
  { account, reference, claim, at, allowDuplicate, isWithinCap }: Intent,
): Promise<ConfirmRefusal | undefined> => {
  const maxTotal = known?.batch === undefined ? undefined : await slots.lockBatch(known.batch)
  const isAllowed = allowDuplicate || known?.duplicate === 1
  // While the batch is locked, its other confirms wait. PostgreSQL gets these statements at once, and runs them in turn.
  const [isHeld, , by] = await Promise.all([
    claim === undefined || holdLease(statements, claim),
    rows.lockReference(account, known?.reference ?? reference),
    isAllowed ? undefined : queries.findRival(account, known?.reference ?? reference, known?.number),
  ])
  if (!isHeld) return { kind: 'lost' }
  if (by !== undefined) return { kind: 'taken', by }
  if (known?.batch === undefined) return undefined
  const [refusal, committed] = await Promise.all([
    allowDuplicate ? undefined : slots.refuseConfirm(known, claim, at),
    isWithinCap === undefined ? [] : slots.listCommitted(known.batch, known.number),
  ])
  if (refusal !== undefined || isWithinCap === undefined) return refusal
  return isWithinCap(committed, maxTotal) ? undefined : { kind: 'over-cap' }
}

type ApprovalCheck = { readonly limits: readonly string[]; readonly isApproved: IsApproved | undefined }

const isApproved = async (
  { statements, slots }: Tables,
  known: Entry | undefined,
  { limits, isApproved = () => false }: ApprovalCheck,
): Promise<boolean> => {
  if (known?.batch === undefined) return isApproved({ limits, approvedCaps: [] }, undefined)
  const { approvedCaps } = await readApprovalFacts(statements, known.batch)
  const committed = await slots.listCommitted(known.batch, known.number)
  return isApproved({ limits, approvedCaps }, { committed, maxTotal: await slots.lockBatch(known.batch) })
}
