// The limits of accounts: budgets per order or period, and the total above which a batch needs an approval. Each confirm
// checks the budgets in the transaction that records its intent.
import type { AccountId } from '../../contract/account-id.ts'
import { type BudgetKind, findPeriod, periods } from '../../contract/time/timestamp.ts'
import { Failure } from '../../errors.ts'
import type { Access, Write, WriteAccess } from '../access.ts'
import { accountNumbersQuery, getOrAddAccount, ownAccountQuery } from '../accounts.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Dialect, Values } from '../database/database.ts'
import { fromRow, selectRows } from '../orders/row.ts'
import { limits as limitTable } from '../tables/accounts.ts'
import { text } from '../tables/table.ts'
import { addCommitted, type Committed, noneCommitted, sumCommitted } from './committed.ts'

/** An account has at most one limit of each kind, currency and role. */
export type LimitKey = {
  readonly kind: BudgetKind | 'approval' | 'prepare-only'
  /** Empty for `prepare-only`. */
  readonly currency: string
  /** The only database role that it limits. */
  readonly forRole?: string | undefined
}
export type NewLimit = LimitKey & { /** An exact decimal. */ readonly amount: string }

/** `accountName`: the declared name of the account that the limit was set for. */
type LimitAmount = NewLimit & { readonly accountName?: string }
const { kind, currency, amount, set_at } = limitTable.columns
const limitColumns = { columns: { kind, currency, amount, set_at, for_role: text, account_name: text } }
const forRole = "nullif(for_role, '') AS for_role"

/** SQL: the limits of the account, and those of the connection's role. */
export const appliesHere = ({ role }: Pick<Dialect, 'role'>): string => `for_role IN ('', ${role})`

export type Limit = LimitAmount & {
  /** By the database's clock. */
  readonly setAt: number
  readonly setBy: Actor | undefined
  /** Whether it limits this process. */
  readonly appliesHere: boolean
}

/** A budget, and what counts against it. */
export type BudgetUse = LimitAmount & {
  readonly kind: BudgetKind
  /** The orders of the current period that are, or may be, confirmed. None for a budget per order. */
  readonly spent: Committed
  /** The end of the current period. */
  readonly until?: number
}

export type LockedLimits<Each = LimitAmount> = {
  readonly limits: readonly Each[]
  /** By the database's clock. Undefined without limits. */
  readonly now?: number
}

/**
 * Until the transaction ends, no other process begins a confirm that these limits concern, or changes the limits (see
 * setLimit).
 */
export const lockLimits = async (
  { all, dialect }: WriteAccess,
  { address, name }: AccountId,
  currency: string,
): Promise<LockedLimits> => {
  const rows = await all(
    `SELECT kind, currency, amount, ${forRole}, ${dialect.now} AS now,
       (SELECT name FROM accounts WHERE number = account) AS account_name
     FROM limits
     WHERE account IN (${accountNumbersQuery}) AND currency IN ($currency, '') AND ${appliesHere(dialect)}
     ORDER BY account, kind, for_role ${dialect.forUpdate}`,
    { address, name: name ?? null, currency },
  )
  if (rows.length === 0) return { limits: [] }
  return {
    limits: rows.map((row) => fromRow<LimitAmount>(row, limitColumns)),
    now: Math.max(...rows.map(({ now }) => Number(now))),
  }
}

/**
 * All limits must have the same currency. The orders of every account that may be the account of a limit count against
 * the limit. `except` is the order that is about to be confirmed. It does not count.
 */
export const readUses = async <Each extends LimitAmount>(
  access: Access,
  { limits, now }: LockedLimits<Each>,
  account: AccountId,
  except = 0,
): Promise<(Each & BudgetUse)[]> => {
  const ofRoles = [...Map.groupBy(limits, ({ forRole }) => forRole).values()]
  const uses = ofRoles.map((limits) => readUsesOfRole(access, { limits, now }, account, except))
  return (await Promise.all(uses)).flat()
}

/** All limits must have the same role, too. */
const readUsesOfRole = async <Each extends LimitAmount>(
  access: Access,
  { limits, now = 0 }: LockedLimits<Each>,
  { address }: AccountId,
  except: number,
): Promise<(Each & BudgetUse)[]> => {
  const kinds = new Set(limits.map(({ kind }) => kind))
  const starts = periods.filter((kind) => kinds.has(kind)).map((kind) => findPeriod(kind, now).from)
  const { currency = '', forRole } = limits[0] ?? {}
  const values = { address, currency, except, ...(forRole === undefined ? {} : { forRole }) }
  const all = starts.length === 0 ? [] : await listSpent(access, starts, values)
  return limits.flatMap((limit): (Each & BudgetUse)[] => {
    const { kind, accountName } = limit
    if (kind === 'approval' || kind === 'prepare-only') return []
    if (kind === 'order') return [{ ...limit, kind, spent: noneCommitted }]
    const { from, until } = findPeriod(kind, now)
    const spent = all.filter(
      ({ at, name }) => at >= from && (name === null || accountName === undefined || name === accountName),
    )
    return [{ ...limit, kind, spent: addCommitted(spent.map(({ sums }) => sums)), until }]
  })
}

/**
 * The orders from one start to the next, of each account at the address. A subquery for each account takes half as long as one
 * statement with groups. With `forRole`: only the orders that this role confirmed, or may have.
 */
const listSpent = async ({ all, dialect }: Access, starts: readonly number[], values: Values) => {
  const sorted = [...new Set(starts)].sort((one, other) => one - other)
  const isOfRole =
    'forRole' in values
      ? `AND EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number AND operation = 'confirm'
           AND outcome <> 'not-sent' AND ${dialect.writtenBy} = $forRole)`
      : ''
  const select = (from: number, index: number): string => {
    const next = sorted[index + 1]
    return `SELECT name, ${from} AS at,
       (SELECT ${sumCommitted} FROM orders ${dialect.indexedBy('reserved_orders')}
        WHERE account = accounts.number AND wallet = $currency AND reserved_at >= ${from}
          ${next === undefined ? '' : `AND reserved_at < ${next}`} AND number <> $except ${isOfRole}) AS sums
     FROM accounts WHERE address = $address`
  }
  const rows = await all(sorted.map(select).join(' UNION ALL '), values)
  return rows.map(({ name, at, sums }) => ({ name: name as string | null, at: Number(at), sums }))
}

/** The budget that prevents an order for the longest time. A budget per order prevents it forever. */
export const findLongest = (uses: readonly BudgetUse[]): BudgetUse | undefined =>
  uses.toSorted((one, other) => findEnd(other) - findEnd(one))[0]

const findEnd = ({ until = Number.MAX_SAFE_INTEGER }: BudgetUse): number => until

export const readBudgets = async (access: Access, account: AccountId, limits: readonly Limit[]) => {
  if (limits.length === 0) return []
  const [row] = await access.all(`SELECT ${access.dialect.now} AS now`)
  const uses: (Limit & BudgetUse)[] = []
  for (const ofCurrency of Map.groupBy(limits, ({ currency }) => currency).values())
    uses.push(...(await readUses(access, { limits: ofCurrency, now: Number(row?.now) }, account)))
  return uses
}

/** Includes limits of accounts that may be the same: they apply to this account, too. */
export const listLimits = (access: Access, { address, name }: AccountId): Promise<Limit[]> => {
  const sql = `SELECT kind, currency, amount, set_at, ${forRole}, name AS account_name, role, os_user, host,
      ${access.dialect.writtenBy} AS written_by, ${appliesHere(access.dialect)} AS applies_here
    FROM limits JOIN accounts ON accounts.number = limits.account
      LEFT JOIN actors ON actors.number = limits.actor
    WHERE account IN (${accountNumbersQuery})
    ORDER BY currency, kind, account, limits.for_role`
  const values = { address, name: name ?? null }
  return selectRows<Limit>(access, limitColumns, sql, values, (row) => ({
    setBy: readActor(row),
    appliesHere: Boolean(row.applies_here),
  }))
}

/** Replaces the limit of the same kind, currency and role. */
export const setLimit = (
  { write }: Write,
  account: AccountId,
  { kind, currency, forRole, amount }: NewLimit,
) =>
  write(async (access) => {
    await refuseWithoutPermission(access)
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
  { address, name }: AccountId,
  { kind, currency, forRole = '' }: LimitKey,
) =>
  write(async (access) => {
    await refuseWithoutPermission(access)
    const removed = await access.run(
      `DELETE FROM limits WHERE kind = $kind AND currency = $currency AND for_role = $forRole
         AND account = (${ownAccountQuery})`,
      { kind, currency, forRole, address, name: name ?? null },
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

/** PostgreSQL only: selects nothing if the role may change limits. */
export const limitPermissionsQuery = `SELECT current_user::text AS role
  FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS permission
  WHERE NOT has_table_privilege('limits', permission)`

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

/** Not every role of a team may change limits (see grantAccess). */
const refuseWithoutPermission = async ({ all, dialect }: Access): Promise<void> => {
  if (dialect.name !== 'postgres') return
  const [row] = await all(limitPermissionsQuery)
  if (row === undefined) return
  const role = String(row.role)
  throw new Failure('local-state', `the database role ${role} may not change limits; nothing was changed`, {
    advice: (suggest) =>
      `Ask the owner of the tables to run this: ${suggest`journal migrate ${{ 'grant-limits': role }}`}`,
  })
}
