// Caps and budgets: what counts against each of them, and which of them an order exceeds.
import type { AccountId } from '../../contract/account-id.ts'
import { toMillionths } from '../../contract/money/decimal.ts'
import { type BudgetKind, findPeriod } from '../../contract/time/timestamp.ts'
import type { Access } from '../access.ts'
import { accountNumbersQuery } from '../accounts.ts'
import type { Row } from '../database/database.ts'
import { spentCondition } from '../orders/standings.ts'
import type { Limit } from './limits.ts'

/** The total of all orders that are, or may be, confirmed. */
export type Committed = {
  readonly orders: number
  /** Without the orders whose amount cannot be read. */
  readonly millionths: bigint
  /** Whether the amount of an order is missing or damaged. It may be any amount, so it exceeds every limit. */
  readonly isDamaged: boolean
}

/** A cap or a budget, and what counts against it. */
export type Use = {
  /** `command`: the --max-total of one command. `role`: a budget of the account for one database role. */
  readonly scope: 'command' | 'batch' | 'account' | 'role'
  /** Of the batch or the role. */
  readonly name?: string | undefined
  readonly currency: string
  /** Of a budget. */
  readonly kind?: BudgetKind
  /** An exact decimal. */
  readonly amount: string
  /** Nothing if it limits each order alone. */
  readonly spent: Committed
  /** The end of the current period. */
  readonly until?: number
}

export type BudgetUse = Limit & Use & { readonly kind: BudgetKind }

/**
 * SQL: what addUp reads, as one text, so that it can be the value of a subquery. Three orders of 25 are `3 3 0 75000000`:
 * their number, how many are sound, and the upper and lower half of their sum. SQLite fails if
 * a sum exceeds 64 bits, so the upper and lower 32 bits of the amounts are added up separately.
 */
export const sumCounts = [
  'count(*)',
  // SQLite sorts a text and bytes after all numbers, so with `>=` they would count as sound, and as nothing.
  `count(*) FILTER (WHERE counts BETWEEN 0 AND ${2n ** 63n - 1n})`,
  'coalesce(sum(counts >> 32), 0)',
  `coalesce(sum(counts & ${2n ** 32n - 1n}), 0)`,
].join(" || ' ' || ")

export const addUp = (rows: readonly Row[]): Committed => {
  const parts = rows.map(({ sums }) => String(sums).split(' ').map(BigInt))
  const [orders, sound, high, low] = [0, 1, 2, 3].map((at) =>
    parts.reduce((sum, part) => sum + (part[at] ?? 0n), 0n),
  ) as [bigint, bigint, bigint, bigint]
  return { orders: Number(orders), millionths: (high << 32n) + low, isDamaged: orders !== sound }
}

export const noneCommitted: Committed = addUp([])

/** SQL: the sums of the orders, but not of `$except`. An order that is confirmed again after a refusal counts once. */
const selectSums = (condition: string, index = ''): string =>
  `SELECT ${sumCounts} AS sums FROM orders ${index} WHERE ${condition} AND number <> $except`

/** For the cap: also confirms that the service refused, because a refusal is no proof. */
export const readCommitted = async (
  { all }: Access,
  batch: number,
  except = 0,
  condition = 'committed',
): Promise<Committed> => addUp(await all(selectSums(`batch = $batch AND ${condition}`), { batch, except }))

export const readSpent = (access: Access, batch: number): Promise<Committed> =>
  readCommitted(access, batch, 0, spentCondition)

const isBudget = (limit: Limit): limit is Limit & Pick<BudgetUse, 'kind'> =>
  limit.kind !== 'approval' && limit.kind !== 'prepare-only'

/**
 * The budgets among the limits. A budget counts the orders of every account that may be its own; a role's counts only those
 * that the role may have confirmed. `except` is the order that is about to be confirmed.
 */
export const readBudgets = async (
  { all, dialect }: Access,
  { address }: AccountId,
  limits: readonly Limit[],
  except = 0,
): Promise<BudgetUse[]> => {
  const readBudget = async (limit: Limit & Pick<BudgetUse, 'kind'>): Promise<BudgetUse> => {
    const { kind, currency, forRole, accountName = null, readAt } = limit
    const budget = { ...limit, scope: forRole === undefined ? 'account' : 'role', name: forRole } as const
    if (kind === 'order') return { ...budget, spent: noneCommitted }
    const { from, until } = findPeriod(kind, readAt)
    const isOfRole = `EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number AND operation = 'confirm'
      AND outcome <> 'not-sent' AND ${dialect.writtenBy} = $role)`
    const counted = `account = own.number AND wallet = $currency AND reserved_at >= $from
      AND ${forRole === undefined ? 'TRUE' : isOfRole}`
    // A subquery for each account takes half as long as one statement with groups.
    const rows = await all(
      `SELECT (${selectSums(counted, dialect.indexedBy('reserved_orders'))}) AS sums FROM (${accountNumbersQuery}) AS own`,
      { address, name: accountName, currency, from, except, ...(forRole && { role: forRole }) },
    )
    return { ...budget, spent: addUp(rows), until }
  }
  return Promise.all(limits.filter(isBudget).map(readBudget))
}

/** Whether the limit, an exact decimal, allows the orders and one more that counts as `counts`. */
export const isWithin = (limit: string, { millionths, isDamaged }: Committed, counts: bigint): boolean =>
  !isDamaged && millionths + counts <= readLimit(limit)

/** Throws if the limit is damaged. */
export const readLimit = (limit: string): bigint => {
  const amount = toMillionths(limit)
  if (amount === undefined) throw new RangeError(`not an amount: ${limit}`)
  return amount
}

/** The cap or budget that refuses an order that counts as `counts`: of several, the one that lasts longest. */
export const findExceeded = (uses: readonly Use[], counts: bigint): Use | undefined =>
  uses
    .filter(({ amount, spent }) => !isWithin(amount, spent, counts))
    .toSorted((one, other) => findEnd(other) - findEnd(one))[0]

/** Without a period, it refuses the order forever. */
const findEnd = ({ until = Number.MAX_SAFE_INTEGER }: Use): number => until
