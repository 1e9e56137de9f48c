// The budgets of accounts. Each confirm checks them in the transaction that records its intent.
import type { AccountId } from '../../contract/account-id.ts'
import { type BudgetKind, findPeriod, type Period, periods } from '../../contract/period.ts'
import { accountNumbersQuery } from '../accounts.ts'
import type { Committed } from '../batches/slot-guard.ts'
import type { Statements } from '../database/database.ts'

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

export type LockedLimits = {
  readonly limits: readonly LimitAmount[]
  /** By the clock of the database. Undefined without limits. */
  readonly now?: number
}

type Spender = {
  readonly account: AccountId
  /** The order that is about to be confirmed. */
  readonly except?: number | undefined
}

type SpentIn = (period: Period, accountName: string | undefined) => Committed[]

export const createBudgetGuard = ({ all, dialect }: Statements) => {
  const listSpent = async (
    { limits, now = 0 }: LockedLimits,
    { account: { address }, except }: Spender,
  ): Promise<SpentIn> => {
    const wanted = periods.filter((period) => limits.some(({ kind }) => kind === period))
    if (wanted.length === 0) return () => []
    const starts = wanted.map((period) => [period, findPeriod(period, now).from] as const)
    const counts = wanted.map(
      (period) => `sum(CASE WHEN reserved_at >= $${period} THEN 1 ELSE 0 END) AS in_${period}`,
    )
    const rows = await all(
      `SELECT name, total, ${counts.join(', ')}
       FROM accounts ${dialect.orderedJoin} orders ${dialect.indexedBy('reserved_orders')}
         ON orders.account = accounts.number
       WHERE address = $address AND orders.wallet = $currency AND reserved_at >= $from
         AND orders.number IS DISTINCT FROM $except
       GROUP BY name, total`,
      {
        ...{ address, currency: limits[0]?.currency ?? '', except: except ?? null },
        ...Object.fromEntries(starts),
        from: Math.min(...starts.map(([, from]) => from)),
      },
    )
    return (period, accountName) =>
      rows
        .filter(({ name }) => name === null || accountName === undefined || name === accountName)
        .map((row) => ({ total: String(row.total ?? ''), count: Number(row[`in_${period}`]) }))
        .filter(({ count }) => count > 0)
  }

  return {
    /**
     * Until the end of the transaction, no other process begins a confirm that these limits concern, or changes the
     * limits (see setLimit).
     */
    lockLimits: async ({ address, name }: AccountId, currency: string): Promise<LockedLimits> => {
      const rows = await all(
        `SELECT kind, amount, ${dialect.now} AS now,
           (SELECT name FROM accounts WHERE number = account) AS account_name
         FROM limits
         WHERE account IN (${accountNumbersQuery}) AND currency = $currency
         ORDER BY account, kind ${dialect.forUpdate}`,
        { address, name: name ?? null, currency },
      )
      if (rows.length === 0) return { limits: [] }
      return {
        limits: rows.map(({ kind, amount, account_name }) => ({
          kind: kind as LimitAmount['kind'],
          currency,
          amount: String(amount),
          ...(account_name === null ? {} : { accountName: String(account_name) }),
        })),
        now: Math.max(...rows.map((row) => Number(row.now))),
      }
    },

    /** The limits have the same currency. All accounts that may be the account of a limit count against it. */
    readUses: async (locked: LockedLimits, spender: Spender): Promise<BudgetUse[]> => {
      const spentIn = await listSpent(locked, spender)
      return locked.limits.flatMap((limit): BudgetUse[] => {
        const { kind } = limit
        if (kind === 'approval') return []
        if (kind === 'order') return [{ ...limit, kind, spent: [] }]
        return [
          {
            ...limit,
            kind,
            spent: spentIn(kind, limit.accountName),
            until: findPeriod(kind, locked.now ?? 0).until,
          },
        ]
      })
    },
  }
}

/** The budget that prevents an order for the longest time. A budget per order prevents it forever. */
export const findLongest = (uses: readonly BudgetUse[]): BudgetUse | undefined =>
  uses.toSorted((one, other) => findEnd(other) - findEnd(one))[0]

const findEnd = ({ until = Number.MAX_SAFE_INTEGER }: BudgetUse): number => until
