// The budgets of accounts. Each confirm checks them in the transaction that records its intent.
import type { AccountId } from '../../contract/account-id.ts'
import { type BudgetKind, findPeriod, type Period, periods } from '../../contract/calendar/period.ts'
import { accountNumbersQuery } from '../accounts.ts'
import type { Committed } from '../batches/slot-guard.ts'
import type { Statements } from '../database/database.ts'
import { createSpentHours, hourMs } from './spent-hours.ts'

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

type Spender = {
  readonly account: AccountId
  /** The order that is about to be confirmed. */
  readonly except?: number | undefined
  /** In the transaction that begins the confirm. */
  readonly isConfirming?: boolean
}

type SpentIn = (period: Period, accountName: string | undefined) => Committed[]

export type BudgetGuard = {
  /**
   * Until the end of the transaction, no other process begins a confirm that these limits concern, or changes the
   * limits (see setLimit).
   */
  readonly lockLimits: (account: AccountId, currency: string) => Promise<LockedLimits>
  /** The limits have the same currency. All accounts that may be the account of a limit count against it. */
  readonly readUses: <Each extends LimitAmount>(
    locked: LockedLimits<Each>,
    spender: Spender,
  ) => Promise<(Each & BudgetUse)[]>
}

export const createBudgetGuard = (statements: Statements): BudgetGuard => {
  const { all, dialect } = statements
  const { readHours, readAndKeepHours } = createSpentHours(statements)

  const listSpent = async (
    { limits, now = 0 }: LockedLimits,
    { account: { address }, except, isConfirming }: Spender,
  ): Promise<SpentIn> => {
    const wanted = periods.filter((period) => limits.some(({ kind }) => kind === period))
    if (wanted.length === 0) return () => []
    const startOf = (period: Period): number => findPeriod(period, now).from / hourMs
    const read = isConfirming === true ? readAndKeepHours : readHours
    const spent = await read({
      address,
      currency: limits[0]?.currency ?? '',
      except,
      starts: Object.fromEntries(wanted.map((period) => [period, startOf(period)])),
      current: Math.floor(now / hourMs),
    })
    return (period, accountName) =>
      countTotals(
        spent.filter(
          ({ name, hour }) =>
            hour >= startOf(period) &&
            (name === undefined || accountName === undefined || name === accountName),
        ),
      )
  }

  return {
    lockLimits: async ({ address, name }, currency) => {
      const rows = await all(
        `SELECT kind, amount, ${dialect.now} AS now,
           (SELECT lower(name) FROM accounts WHERE number = account) AS account_name
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
          accountName: account_name === null ? undefined : String(account_name),
        })),
        now: Math.max(...rows.map((row) => Number(row.now))),
      }
    },

    readUses: async <Each extends LimitAmount>(
      locked: LockedLimits<Each>,
      spender: Spender,
    ): Promise<(Each & BudgetUse)[]> => {
      const spentIn = await listSpent(locked, spender)
      return locked.limits.flatMap((limit): (Each & BudgetUse)[] => {
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

/** Adds up the counts of the same total. */
const countTotals = (spent: readonly Committed[]): Committed[] =>
  [...Map.groupBy(spent, ({ total }) => total)]
    .map(([total, same]) => ({ total, count: same.reduce((sum, { count }) => sum + count, 0) }))
    .filter(({ count }) => count !== 0)

/** The budget that prevents an order for the longest time. A budget per order prevents it forever. */
export const findLongest = (uses: readonly BudgetUse[]): BudgetUse | undefined =>
  uses.toSorted((one, other) => findEnd(other) - findEnd(one))[0]

const findEnd = ({ until = Number.MAX_SAFE_INTEGER }: BudgetUse): number => until
