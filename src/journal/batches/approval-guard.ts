// Reads whether a batch needs an approval and has one, in the transaction that starts it or records a confirm.
import type { Access } from '../access.ts'
import { matchAccounts } from '../accounts.ts'
import { isWithin, noneCommitted, readLimit, type Use } from '../limits/evaluate.ts'
import { appliesHere } from '../limits/limits.ts'

/** The facts that decide whether an order or a batch needs an approval. All amounts are exact decimals. */
export type ApprovalFacts = {
  /** The totals above which the account needs an approval. */
  readonly limits: readonly string[]
  /** The caps of the approvals of the plan that are valid now. */
  readonly approvedCaps: readonly string[]
}

/**
 * For an order that is about to be confirmed and counts as `counts`. An order of a batch needs an approval if the
 * batch's cap does, and only batches can be approved.
 */
export const isApproved = (
  counts: bigint,
  { limits, approvedCaps }: ApprovalFacts,
  cap: Pick<Use, 'amount' | 'spent'> | undefined,
): boolean => {
  const { spent = noneCommitted, amount = '0' } = cap ?? {}
  const isNeeded = limits.some(
    (limit) => !isWithin(limit, spent, counts) || !isWithin(limit, noneCommitted, readLimit(amount)),
  )
  if (!isNeeded || cap === undefined) return !isNeeded
  return approvedCaps.some((approved) => isWithin(approved, spent, counts))
}

/** What the limits of the connection's role forbid, besides. */
export type RunFacts = ApprovalFacts & {
  /** The role, if it may only prepare orders. */
  readonly preparing?: string | undefined
  /** Whether a limit forbids the role to approve. */
  readonly cannotApprove?: boolean
}

/**
 * Limits of accounts that may be the same apply, too (see isSameAccount). Only PostgreSQL has approvals. `others`: SQL,
 * roles whose limits count besides.
 */
export const readApprovalFacts = async (
  { all, dialect }: Access,
  batch: number,
  others = "''",
): Promise<RunFacts> => {
  if (dialect.name === 'sqlite') return { limits: [], approvedCaps: [] }
  const rows = await all(
    `WITH plan AS (SELECT batches.number, batches.id, wallet, address, accounts.name
       FROM batches JOIN accounts ON accounts.number = batches.account WHERE batches.number = $batch)
     SELECT kind, amount, CASE for_role WHEN ${dialect.role} THEN for_role END AS own_role FROM plan
       JOIN accounts ON ${matchAccounts('accounts', 'plan')}
       JOIN limits ON limits.account = accounts.number
         AND (kind = 'approval' AND currency = wallet AND (${appliesHere(dialect)} OR for_role IN (${others}))
           OR kind = 'prepare-only' AND for_role = ${dialect.role})
     UNION ALL
     SELECT 'cap', cap, NULL FROM plan
       JOIN approvals ON approvals.batch = plan.number AND plan_id = plan.id AND until > ${dialect.now}`,
    { batch },
  )
  const list = (wanted: string): string[] =>
    rows.filter(({ kind }) => kind === wanted).map(({ amount }) => String(amount))
  const preparing = rows.find(({ kind }) => kind === 'prepare-only')?.own_role as string | undefined
  return {
    ...{ limits: list('approval'), approvedCaps: list('cap'), preparing },
    cannotApprove: rows.some(({ own_role }) => own_role !== null),
  }
}
