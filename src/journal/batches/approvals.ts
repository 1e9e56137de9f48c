// The table of approvals: who asked for a batch's cap, and who approved it. Only PostgreSQL has it.

import { Failure } from '../../errors.ts'
import type { Access, Write } from '../access.ts'
import { getAccount } from '../accounts.ts'
import { inOrder } from '../database/database.ts'
import { listLimits } from '../limits.ts'
import { fromRow, selectRows } from '../orders/entries.ts'
import { approvalRequests, approvals } from '../tables/accounts.ts'
import type { RowOf } from '../tables/table.ts'
import type { Batch, StoredRow } from './batches.ts'
import { listBatchRows } from './cards.ts'

/** Roles are those that the database server reports, and times are by its clock. */
export type Approval = Pick<RowOf<typeof approvals>, 'cap' | 'role' | 'approvedAt' | 'until'> & {
  readonly isValid: boolean
}

export type ApprovalRequest = Pick<RowOf<typeof approvalRequests>, 'cap' | 'role' | 'askedAt'>

export type ApprovalState = {
  /** The totals above which this process needs an approval, and those for the role that has asked. */
  readonly ownLimits: readonly string[]
  readonly limits: readonly string[]
  /** This process's role, and whether limits forbid it to approve, or to confirm. */
  readonly ownRole: string
  readonly cannotApprove: boolean
  readonly mayOnlyPrepare: boolean
  readonly plannedBy: string
  readonly request?: ApprovalRequest
  /** Newest first. */
  readonly approvals: readonly Approval[]
}

type NewApproval = {
  /** The plan that the approver saw. */
  readonly planId: string
  readonly cap: string
  readonly forMs: number
  /** Whether the rows and cards of the plan match its id. */
  readonly isGenuine: (plan: StoredPlan) => boolean
}

export type StoredPlan = {
  readonly rows: readonly StoredRow[]
  /** The number of cards by row. A row without cards is missing. */
  readonly cardsOf: ReadonlyMap<number, number>
}

type ApprovalResult =
  | { readonly kind: 'approved'; readonly until: number }
  /** The batch has a different plan, or was cancelled. */
  | { readonly kind: 'changed' }
  /** The rows do not match the id: a role has saved them with psql. */
  | { readonly kind: 'forged' }
  /** The role has planned the batch, or asked for the cap. */
  | { readonly kind: 'own' }

export const recordApproval = async (
  { write }: Write,
  batch: number,
  { planId, cap, forMs, isGenuine }: NewApproval,
): Promise<ApprovalResult> => {
  try {
    return await write(async (access) => {
      const { all, dialect } = access
      // Locks the batch, so that no other process replaces the plan until the end of the transaction.
      const found = await all(
        `SELECT 1 FROM batches WHERE number = $batch AND id = $planId AND cancelled_at IS NULL ${dialect.forUpdateOf('batches')}`,
        { batch, planId },
      )
      if (found.length === 0) return { kind: 'changed' }
      if (!isGenuine(await readStoredPlan(access, batch))) return { kind: 'forged' }
      const [added] = await all(
        `INSERT INTO approvals (batch, plan_id, cap, actor, until)
         VALUES ($batch, $planId, $cap, $actor, ${dialect.now} + $forMs) RETURNING until`,
        { batch, planId, cap, forMs, actor: access.actor ?? null },
      )
      return { kind: 'approved', until: Number(added?.until) }
    })
  } catch (error) {
    const cause = error instanceof Failure ? error.details.cause : undefined
    // A constraint of the table refuses the role that planned the batch or asked for the approval.
    if (cause instanceof Error && 'constraint' in cause && cause.constraint === 'approved_by_another')
      return { kind: 'own' }
    throw error
  }
}

/** The first role that asked for the same cap stays the asker, until the cap is approved. */
export const requestApproval = (
  { write }: Write,
  batch: number,
  { planId, cap }: Pick<NewApproval, 'planId' | 'cap'>,
): Promise<void> =>
  write(async ({ run, actor }) => {
    await run(
      `INSERT INTO approval_requests (batch, plan_id, cap, actor)
       SELECT number, id, CAST($cap AS TEXT), CAST($actor AS BIGINT)
       FROM batches WHERE number = $batch AND id = $planId AND cancelled_at IS NULL
       ON CONFLICT (batch) DO UPDATE
       SET plan_id = excluded.plan_id, cap = excluded.cap, actor = excluded.actor
       WHERE approval_requests.cap <> excluded.cap OR EXISTS (SELECT 1 FROM approvals
         WHERE approvals.batch = excluded.batch AND approved_at >= approval_requests.asked_at)`,
      { batch, planId, cap, actor: actor ?? null },
    )
  })

/** For a batch that stopped without a valid approval, and has one now. Returns whether it is no longer stopped. */
export const resumeBatch = ({ write }: Write, number: number): Promise<boolean> =>
  write(async ({ run }) => {
    const sql =
      "UPDATE batches SET stopped = NULL WHERE number = $number AND coalesce(stopped, 'approval') = 'approval'"
    return (await run(sql, { number })) > 0
  })

/** Undefined if the journal has no approvals, or the batch was deleted. */
export const readApproval = async (
  access: Access,
  { number, account, wallet }: Pick<Batch, 'number' | 'account' | 'wallet'>,
): Promise<ApprovalState | undefined> => {
  const { all, dialect } = access
  if (dialect.name === 'sqlite') return undefined
  const id = await getAccount(access, account)
  if (id === undefined) return undefined
  const { known, plans, found } = await inOrder({
    known: listLimits(access, id, { where: "currency IN ($wallet, '')", values: { wallet } }),
    plans: all(
      `SELECT batches.written_by AS planned_by, ${dialect.role} AS own_role, cap, approval_requests.role, asked_at
       FROM batches LEFT JOIN approval_requests ON batch = batches.number AND plan_id = batches.id
       WHERE batches.number = $batch`,
      { batch: number },
    ),
    found: selectRows<Approval>(
      access,
      approvals,
      `SELECT cap, approvals.role, approved_at, until, until > ${dialect.now} AS is_valid
       FROM approvals JOIN batches ON batches.number = batch AND batches.id = plan_id
       WHERE batch = $batch ORDER BY approvals.number DESC`,
      { batch: number },
      ({ is_valid }) => ({ isValid: Number(is_valid) === 1 }),
    ),
  })
  const [plan] = plans
  if (plan === undefined) return undefined
  const request = plan.cap === null ? undefined : fromRow<ApprovalRequest>(plan, approvalRequests)
  const own = known.filter(({ appliesHere }) => appliesHere)
  const totals = known.filter(({ kind }) => kind === 'approval')
  const mayOnlyPrepare = own.some(({ kind }) => kind === 'prepare-only')
  return {
    ownLimits: totals.filter(({ appliesHere }) => appliesHere).map(({ amount }) => amount),
    // An approval that the asker's own limit requires is one for everyone who looks.
    limits: totals
      .filter(({ appliesHere, forRole }) => appliesHere || forRole === request?.role)
      .map(({ amount }) => amount),
    cannotApprove: mayOnlyPrepare || totals.some(({ appliesHere, forRole }) => appliesHere && forRole),
    mayOnlyPrepare,
    ownRole: String(plan.own_role),
    plannedBy: String(plan.planned_by),
    request,
    approvals: found,
  }
}

/** The numbers of batches that want cards and have a requested cap, the newest request first. */
export const listRequested = async ({ all, dialect }: Access, profile: string | undefined) => {
  if (dialect.name === 'sqlite') return []
  const rows = await all(
    `SELECT batch FROM approval_requests JOIN batches ON batches.number = batch AND batches.id = plan_id
     WHERE cancelled_at IS NULL AND (CAST($profile AS TEXT) IS NULL OR profile = $profile)
       AND EXISTS (SELECT 1 FROM batch_cards WHERE batch_cards.batch = batches.number AND state = 'wanted')
     ORDER BY asked_at DESC`,
    { profile: profile ?? null },
  )
  return rows.map((row) => Number(row.batch))
}

const readStoredPlan = async (access: Access, batch: number): Promise<StoredPlan> => {
  const countCards = 'SELECT row, count(*) AS count FROM batch_cards WHERE batch = $batch GROUP BY row'
  const { rows, counts } = await inOrder({
    rows: listBatchRows(access, batch),
    counts: access.all(countCards, { batch }),
  })
  return { rows, cardsOf: new Map(counts.map(({ row, count }) => [Number(row), Number(count)])) }
}
