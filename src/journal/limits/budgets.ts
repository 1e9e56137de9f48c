// The budgets of accounts. Each confirm checks them in the transaction that records its intent.
import type { AccountId } from '../../contract/account-id.ts'
import { type BudgetKind, findPeriod, periods } from '../../contract/timestamp.ts'
import { accountNumbersQuery } from '../accounts.ts'
import type { Committed } from '../batches/slot-guard.ts'
import type { Statements, Values } from '../database/database.ts'
import { fromRow } from '../row.ts'
import { limits as limitTable } from '../tables/accounts.ts'

type LimitAmount = {
  readonly kind: BudgetKind | 'approval'
  readonly currency: string
  /** An exact decimal. */
  readonly amount: string
  /** The declared name of the account that it was set for. */
  readonly accountName?: string
}

/** A budget, and what counts against it. */
export type BudgetUse = LimitAmount & {
  readonly kind: BudgetKind
  /** The orders of the current period that are, or may be, confirmed. None for a budget per order. */
  readonly spent: readonly Committed[]
  /** The end of the current period. */
  readonly until?: number
}

export type LockedLimits<Each = LimitAmount> = {
  readonly limits: readonly Each[]
  /** By the clock of the database. Undefined without limits. */
  readonly now?: number
}

/**
 * Until the end of the transaction, no other process begins a confirm that these limits concern, or changes the limits
 * (see setLimit).
 */
export const lockLimits = async (
  { all, dialect }: Statements,
  { address, name }: AccountId,
  currency: string,
): Promise<LockedLimits> => {
  const rows = await all(
    `SELECT kind, currency, amount, ${dialect.now} AS now,
       (SELECT name FROM accounts WHERE number = account) AS account_name
     FROM limits
     WHERE account IN (${accountNumbersQuery}) AND currency = $currency
     ORDER BY account, kind ${dialect.forUpdate}`,
    { address, name: name ?? null, currency },
  )
  if (rows.length === 0) return { limits: [] }
  return {
    limits: rows.map(({ now, ...limit }) => fromRow<LimitAmount>(limit, limitTable)),
    now: Math.max(...rows.map(({ now }) => Number(now))),
  }
}

/**
 * The limits have the same currency. All accounts that may be the account of a limit count against it. `except` is the
 * order that is about to be confirmed.
 */
export const readUses = async <Each extends LimitAmount>(
  statements: Statements,
  { limits, now = 0 }: LockedLimits<Each>,
  { address }: AccountId,
  except = 0,
): Promise<(Each & BudgetUse)[]> => {
  const kinds = new Set(limits.map(({ kind }) => kind))
  const starts = periods.filter((kind) => kinds.has(kind)).map((kind) => findPeriod(kind, now).from)
  const currency = limits[0]?.currency ?? ''
  const all = starts.length === 0 ? [] : await listSpent(statements, starts, { address, currency, except })
  return limits.flatMap((limit): (Each & BudgetUse)[] => {
    const { kind, accountName } = limit
    if (kind === 'approval') return []
    if (kind === 'order') return [{ ...limit, kind, spent: [] }]
    const { from, until } = findPeriod(kind, now)
    const spent = all.filter(
      ({ at, name }) => at >= from && (name === null || accountName === undefined || name === accountName),
    )
    return [{ ...limit, kind, spent, until }]
  })
}

/** Groups the orders of one account with the same total. All of a group are in the same periods. */
const listSpent = async ({ all, dialect }: Statements, starts: readonly number[], values: Values) => {
  const rows = await all(
    `SELECT name, min(reserved_at) AS at, coalesce(counted, total) AS total, count(*) AS count
     FROM accounts ${dialect.orderedJoin} orders ${dialect.indexedBy('reserved_orders')} ON account = accounts.number
     WHERE address = $address AND wallet = $currency AND reserved_at >= ${Math.min(...starts)}
       AND orders.number <> $except
     GROUP BY name, coalesce(counted, total), ${starts.map((start) => `reserved_at >= ${start}`).join(', ')}`,
    values,
  )
  return rows.map(({ name, at, total, count }) => ({
    ...{ name: name as string | null, at: Number(at) },
    ...{ total: String(total ?? ''), count: Number(count) },
  }))
}

/** The budget that prevents an order for the longest time. A budget per order prevents it forever. */
export const findLongest = (uses: readonly BudgetUse[]): BudgetUse | undefined =>
  uses.toSorted((one, other) => findEnd(other) - findEnd(one))[0]

const findEnd = ({ until = Number.MAX_SAFE_INTEGER }: BudgetUse): number => until
