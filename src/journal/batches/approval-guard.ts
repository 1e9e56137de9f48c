// Reads whether a batch needs an approval and has one, in the transaction that starts it or records a confirm.
import type { Access } from '../access.ts'
import { matchAccounts } from '../accounts.ts'
import { type Committed, isWithin, noneCommitted, readLimit } from '../limits/committed.ts'

/** The facts that decide whether an order or a batch needs an approval. All amounts are exact decimals. */
export type ApprovalFacts = {
  /** The totals above which the account needs an approval. */
  readonly limits: readonly string[]
  /** The caps of the approvals of the plan that are valid now. */
  readonly approvedCaps: readonly string[]
}

/** For an order of a batch: what the batch has spent and may still spend without this order, and its cap. */
export type BatchUse = {
  readonly name: string
  readonly committed: Committed
  /** Undefined if no one has consented to a cap. */
  readonly maxTotal: string | undefined
}

/**
 * For an order that is about to be confirmed and counts as `counts`. An order of a batch needs an approval if the
 * batch's cap does, and only batches can be approved.
 */
export const isApproved = (
  counts: bigint,
  { limits, approvedCaps }: ApprovalFacts,
  use: BatchUse | undefined,
): boolean => {
  const { committed = noneCommitted, maxTotal = '0' } = use ?? {}
  const cap = readLimit(maxTotal)
  const isNeeded = limits.some(
    (limit) => !isWithin(limit, committed, counts) || !isWithin(limit, noneCommitted, cap),
  )
  if (!isNeeded || use === undefined) return !isNeeded
  return approvedCaps.some((approved) => isWithin(approved, committed, counts))
}

/** Limits of accounts that may be the same apply, too (see isSameAccount). Only PostgreSQL has approvals. */
export const readApprovalFacts = async ({ all, dialect }: Access, batch: number): Promise<ApprovalFacts> => {
  if (dialect.name === 'sqlite') return { limits: [], approvedCaps: [] }
  const rows = await all(
    `WITH plan AS (SELECT batches.number, batches.id, wallet, address, accounts.name
       FROM batches JOIN accounts ON accounts.number = batches.account WHERE batches.number = $batch)
     SELECT 'limit' AS kind, amount FROM plan
       JOIN accounts ON ${matchAccounts('accounts', 'plan')}
       JOIN limits ON limits.account = accounts.number AND kind = 'approval' AND currency = wallet
     UNION ALL
     SELECT 'cap', cap FROM plan
       JOIN approvals ON approvals.batch = plan.number AND plan_id = plan.id AND until > ${dialect.now}`,
    { batch },
  )
  const list = (wanted: string): string[] =>
    rows.filter(({ kind }) => kind === wanted).map(({ amount }) => String(amount))
  return { limits: list('limit'), approvedCaps: list('cap') }
}
