// Caps, budgets and approvals of accounts: what counts against each, which of them an order exceeds, and whether a batch needs
// an approval and has one. The guards read them in the transaction that records a confirm.

import type { AccountId } from '../contract/account-id.ts'
import { toMillionths } from '../contract/money/decimal.ts'
import { type BudgetKind, findPeriod } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Access, Write, WriteAccess } from './access.ts'
import {
  type Actor,
  accountNumbersQuery,
  accountValues,
  getOrAddAccount,
  ofSameAccount,
  ownAccountQuery,
  readActor,
} from './accounts.ts'
import type { Dialect, Row } from './database/database.ts'
import { selectRows } from './orders/entries.ts'
import { spentCondition } from './orders/standings.ts'
import { limits as limitTable } from './tables/accounts.ts'
import { text, time } from './tables/table.ts'

/** An account has at most one limit of each kind, currency and role. */
export type LimitKey = {
  readonly kind: BudgetKind | 'approval' | 'prepare-only'
  /** Empty for `prepare-only`. */
  readonly currency: string
  /** The only database role that it limits. */
  readonly forRole?: string | undefined
}
export type NewLimit = LimitKey & { /** An exact decimal. */ readonly amount: string }

export type Limit = NewLimit & {
  /** The declared name of the account that the limit was set for. */
  readonly accountName?: string
  /** By the database's clock. */
  readonly setAt: number
  readonly setBy: Actor | undefined
  /** Whether it limits this process. */
  readonly appliesHere: boolean
  /** By the database's clock: all limits that are read together have the same time. */
  readonly readAt: number
}

const { kind, currency, amount, set_at } = limitTable.columns
const limitColumns = {
  columns: { kind, currency, amount, set_at, for_role: text, account_name: text, read_at: time },
}

/** SQL: the limits of the account, and those of the connection's role. */
const appliesHere = ({ role }: Pick<Dialect, 'role'>): string => `for_role IN ('', ${role})`

/** Includes limits of accounts that may be the same: they apply to this account, too. */
export const listLimits = (
  access: Access,
  account: AccountId,
  { where = 'TRUE', values = {}, lock = '' } = {},
): Promise<Limit[]> => {
  const { dialect } = access
  const sql = `SELECT kind, currency, amount, set_at, nullif(for_role, '') AS for_role, name AS account_name, role, os_user, host,
      ${dialect.writtenBy} AS written_by, ${appliesHere(dialect)} AS applies_here, (SELECT ${dialect.now}) AS read_at
    FROM limits JOIN accounts ON accounts.number = limits.account
      LEFT JOIN actors ON actors.number = limits.actor
    WHERE ${ofSameAccount} AND ${where}
    ORDER BY currency, kind, account, limits.for_role ${lock}`
  return selectRows<Limit>(access, limitColumns, sql, { ...accountValues(account), ...values }, (row) => ({
    setBy: readActor(row),
    appliesHere: Boolean(row.applies_here),
  }))
}

/**
 * The limits of a confirm. Until the transaction ends, no other process begins a confirm that they concern, or changes
 * the limits (see setLimit).
 */
export const lockLimits = (access: WriteAccess, account: AccountId, currency: string): Promise<Limit[]> =>
  listLimits(access, account, {
    where: `currency IN ($currency, '') AND ${appliesHere(access.dialect)}`,
    values: { currency },
    lock: access.dialect.forUpdateOf('limits'),
  })

/** Replaces the limit of the same kind, currency and role. */
export const setLimit = (
  { write }: Write,
  account: AccountId,
  { kind, currency, forRole, amount }: NewLimit,
) =>
  write(async (access) => {
    if (forRole !== undefined) await refuseUnknownRole(access, forRole)
    await waitForConfirms(access)
    await access.run(
      `INSERT INTO limits (account, kind, currency, for_role, amount, actor, set_at)
       VALUES ($account, $kind, $currency, $forRole, $amount, $actor, ${access.dialect.now})
       ON CONFLICT (account, kind, currency, for_role) DO UPDATE
       SET amount = excluded.amount, actor = excluded.actor, set_at = excluded.set_at`,
      {
        ...{ kind, currency, forRole: forRole ?? '', amount, actor: access.actor ?? null },
        account: await getOrAddAccount(access, account),
      },
    )
  })

/** Returns false if there is no such limit for exactly this account. */
export const removeLimit = (
  { write }: Write,
  account: AccountId,
  { kind, currency, forRole = '' }: LimitKey,
) =>
  write(async (access) => {
    const removed = await access.run(
      `DELETE FROM limits WHERE kind = $kind AND currency = $currency AND for_role = $forRole
         AND account = (${ownAccountQuery})`,
      { kind, currency, forRole, ...accountValues(account) },
    )
    return removed > 0
  })

/**
 * A transaction that begins a confirm locks the limits that it reads. It either ends before a limit is set, so that the
 * limit counts it, or it reads the new limit.
 */
export const waitForConfirms = async ({ dialect, run }: WriteAccess): Promise<void> => {
  if (dialect.name === 'postgres') await run('LOCK TABLE limits IN EXCLUSIVE MODE')
}

/** A limit applies to the role that logs in, so a limit of a group would apply to nobody. */
const refuseUnknownRole = async ({ all }: Access, role: string): Promise<void> => {
  const [found] = await all('SELECT rolcanlogin FROM pg_roles WHERE rolname = $role', { role })
  if (found?.rolcanlogin) return
  const problem = found === undefined ? `the server has no role ${role}` : `the role ${role} cannot log in`
  throw new Failure('usage', `${problem}; nothing was changed`, {
    field: '--role',
    advice: 'A limit applies to one role that logs in, not to the members of a role.',
  })
}

/** The total of all orders that are, or may be, confirmed. */
export type Commitment = {
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
  readonly spent: Commitment
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

export const addUp = (rows: readonly Row[]): Commitment => {
  const parts = rows.map(({ sums }) => String(sums).split(' ').map(BigInt))
  const [orders, sound, high, low] = [0, 1, 2, 3].map((at) =>
    parts.reduce((sum, part) => sum + (part[at] ?? 0n), 0n),
  ) as [bigint, bigint, bigint, bigint]
  return { orders: Number(orders), millionths: (high << 32n) + low, isDamaged: orders !== sound }
}

export const noneCommitted: Commitment = addUp([])

/** SQL: the sums of the orders, but not of `$except`. An order that is confirmed again after a refusal counts once. */
const selectSums = (condition: string, index = ''): string =>
  `SELECT ${sumCounts} AS sums FROM orders ${index} WHERE ${condition} AND number <> $except`

/** For the cap: also confirms that the service refused, because a refusal is no proof. */
export const readCommitted = async (
  { all }: Access,
  batch: number,
  except = 0,
  condition = 'committed',
): Promise<Commitment> => addUp(await all(selectSums(`batch = $batch AND ${condition}`), { batch, except }))

export const readSpent = (access: Access, batch: number): Promise<Commitment> =>
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
const isWithin = (limit: string, { millionths, isDamaged }: Commitment, counts: bigint): boolean =>
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

/**
 * For an order that is about to be confirmed and counts as `counts`. `limits`: the totals above which the account needs
 * an approval. An order of a batch needs one if the batch's cap does, and only batches can be approved.
 */
export const isApproved = (
  counts: bigint,
  limits: readonly string[],
  batch:
    | { readonly cap: Pick<Use, 'amount' | 'spent'>; readonly approvedCaps: readonly string[] }
    | undefined,
): boolean => {
  const { spent = noneCommitted, amount = '0' } = batch?.cap ?? {}
  const isNeeded = limits.some(
    (limit) => !isWithin(limit, spent, counts) || !isWithin(limit, noneCommitted, readLimit(amount)),
  )
  return !isNeeded || batch?.approvedCaps.some((approved) => isWithin(approved, spent, counts)) === true
}

/** The caps of the approvals of the batch's plan that are valid now. Only PostgreSQL has approvals. */
export const readApprovedCaps = async ({ all, dialect }: Access, batch: number): Promise<string[]> => {
  if (dialect.name === 'sqlite') return []
  const rows = await all(
    `SELECT cap FROM approvals JOIN batches ON batches.number = batch AND batches.id = plan_id
     WHERE batch = $batch AND until > ${dialect.now}`,
    { batch },
  )
  return rows.map(({ cap }) => String(cap))
}
