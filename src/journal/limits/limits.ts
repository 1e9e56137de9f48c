// The limits of accounts: budgets per order or period, and the total above which a batch needs an approval. evaluate.ts
// adds up what counts against a budget.
import type { AccountId } from '../../contract/account-id.ts'
import type { BudgetKind } from '../../contract/time/timestamp.ts'
import { Failure } from '../../errors.ts'
import type { Access, Write, WriteAccess } from '../access.ts'
import { accountNumbersQuery, getOrAddAccount, ownAccountQuery } from '../accounts.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Dialect } from '../database/database.ts'
import { selectRows } from '../orders/row.ts'
import { limits as limitTable } from '../tables/accounts.ts'
import { text, time } from '../tables/table.ts'

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
export const appliesHere = ({ role }: Pick<Dialect, 'role'>): string => `for_role IN ('', ${role})`

/** Includes limits of accounts that may be the same: they apply to this account, too. */
export const listLimits = (
  access: Access,
  { address, name }: AccountId,
  { where = 'TRUE', values = {}, lock = '' } = {},
): Promise<Limit[]> => {
  const { dialect } = access
  const sql = `SELECT kind, currency, amount, set_at, nullif(for_role, '') AS for_role, name AS account_name, role, os_user, host,
      ${dialect.writtenBy} AS written_by, ${appliesHere(dialect)} AS applies_here, (SELECT ${dialect.now}) AS read_at
    FROM limits JOIN accounts ON accounts.number = limits.account
      LEFT JOIN actors ON actors.number = limits.actor
    WHERE account IN (${accountNumbersQuery}) AND ${where}
    ORDER BY currency, kind, account, limits.for_role ${lock}`
  return selectRows<Limit>(access, limitColumns, sql, { address, name: name ?? null, ...values }, (row) => ({
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
