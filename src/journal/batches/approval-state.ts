// Reads who asked for the cap of a batch, and who approved it.
import { inOrder, type Row, type Statements } from '../database/database.ts'
import { readApprovalFacts } from './approval-guard.ts'

/** Roles are those that the database server reports, and times are by its clock. */
export type Approval = {
  /** An exact decimal. */
  readonly cap: string
  readonly role: string
  readonly approvedAt: number
  readonly until: number
  readonly isValid: boolean
}

export type ApprovalRequest = { readonly cap: string; readonly role: string; readonly askedAt: number }

export type ApprovalState = {
  /** The totals above which the account needs an approval. */
  readonly limits: readonly string[]
  /** The role of this process. */
  readonly ownRole: string
  readonly plannedBy: string
  readonly request?: ApprovalRequest
  /** Newest first. */
  readonly approvals: readonly Approval[]
}

/** Undefined if the journal has no approvals, or the batch was deleted. */
export const readApprovalState = async (
  statements: Statements,
  batch: number,
): Promise<ApprovalState | undefined> => {
  const { all, dialect } = statements
  if (dialect.name === 'sqlite') return undefined
  const { facts, plans, approvals } = await inOrder({
    facts: readApprovalFacts(statements, batch),
    plans: all(
      `SELECT batches.written_by AS planned_by, ${dialect.role} AS own_role, cap, approval_requests.role, asked_at
       FROM batches LEFT JOIN approval_requests ON batch = batches.number AND plan_id = batches.id
       WHERE batches.number = $batch`,
      { batch },
    ),
    approvals: all(
      `SELECT cap, approvals.role, approved_at, until, until > ${dialect.now} AS is_valid
       FROM approvals JOIN batches ON batches.number = batch AND batches.id = plan_id
       WHERE batch = $batch ORDER BY approvals.number DESC`,
      { batch },
    ),
  })
  const [plan] = plans
  if (plan === undefined) return undefined
  return {
    limits: facts.limits,
    ownRole: String(plan.own_role),
    plannedBy: String(plan.planned_by),
    request: plan.cap === null ? undefined : readRequest(plan),
    approvals: approvals.map(readApproval),
  }
}

const readRequest = ({ cap, role, asked_at }: Row): ApprovalRequest => ({
  cap: String(cap),
  role: String(role),
  askedAt: Number(asked_at),
})

const readApproval = ({ cap, role, approved_at, until, is_valid }: Row): Approval => ({
  cap: String(cap),
  role: String(role),
  approvedAt: Number(approved_at),
  until: Number(until),
  isValid: Number(is_valid) === 1,
})
