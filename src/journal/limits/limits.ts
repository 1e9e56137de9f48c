// The limits of accounts: budgets per order or period, and the total above which a batch needs an approval.
import type { AccountId } from '../../contract/account-id.ts'
import type { BudgetKind } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import { accountNumbersQuery, getOrAddAccount, ownAccountQuery } from '../accounts.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Statements } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import { fromRow } from '../row.ts'
import { limits as limitTable } from '../tables/accounts.ts'
import { type BudgetUse, readUses } from './budgets.ts'

type LimitKind = BudgetKind | 'approval'

/** An account has at most one limit of each kind and currency. */
export type LimitKey = { readonly kind: LimitKind; readonly currency: string }
export type NewLimit = LimitKey & { /** An exact decimal. */ readonly amount: string }

export type Limit = NewLimit & {
  /** The declared name of the account that it was set for. */
  readonly accountName?: string
  /** By the clock of the database. */
  readonly setAt: number
  readonly setBy: Actor | undefined
}

/** What counts against these budgets now. */
export const readBudgets = (
  { read }: Journal,
  account: AccountId,
  limits: readonly Limit[],
): Promise<(Limit & BudgetUse)[]> =>
  read(async ({ statements }) => {
    if (limits.length === 0) return []
    const [row] = await statements.all(`SELECT ${statements.dialect.now} AS now`)
    const uses: (Limit & BudgetUse)[] = []
    for (const ofCurrency of Map.groupBy(limits, ({ currency }) => currency).values())
      uses.push(...(await readUses(statements, { limits: ofCurrency, now: Number(row?.now) }, account)))
    return uses
  })

/** Includes limits of accounts that may be the same: they apply to this account, too. */
export const listLimits = ({ read }: Journal, { address, name }: AccountId): Promise<Limit[]> =>
  read(async ({ statements: { all, dialect } }) => {
    const rows = await all(
      `SELECT kind, currency, amount, set_at, name AS account_name, role, os_user, host,
         ${dialect.writtenBy} AS written_by
       FROM limits JOIN accounts ON accounts.number = limits.account
         LEFT JOIN actors ON actors.number = limits.actor
       WHERE account IN (${accountNumbersQuery})
       ORDER BY currency, kind, account`,
      { address, name: name ?? null },
    )
    return rows.map(({ role, os_user, host, written_by, ...limit }) => ({
      ...fromRow<Omit<Limit, 'setBy'>>(limit, limitTable),
      setBy: readActor({ role, os_user, host, written_by }),
    }))
  })

/** Replaces the limit of the same kind and currency. */
export const setLimit = (
  { write }: Journal,
  account: AccountId,
  { kind, currency, amount }: NewLimit,
): Promise<void> =>
  write(async ({ statements, actor }) => {
    await refuseWithoutPermission(statements)
    await waitForConfirms(statements)
    await statements.run(
      `INSERT INTO limits (account, kind, currency, amount, actor, set_at)
       VALUES ($account, $kind, $currency, $amount, $actor, ${statements.dialect.now})
       ON CONFLICT (account, kind, currency) DO UPDATE
       SET amount = excluded.amount, actor = excluded.actor, set_at = excluded.set_at`,
      { account: await getOrAddAccount(statements, account), kind, currency, amount, actor: actor ?? null },
    )
  })

/** Returns false if the account itself has no such limit. */
export const removeLimit = (
  { write }: Journal,
  { address, name }: AccountId,
  { kind, currency }: LimitKey,
): Promise<boolean> =>
  write(async ({ statements }) => {
    await refuseWithoutPermission(statements)
    const removed = await statements.run(
      `DELETE FROM limits WHERE kind = $kind AND currency = $currency AND account = (${ownAccountQuery})`,
      { kind, currency, address, name: name ?? null },
    )
    return removed > 0
  })

/**
 * A transaction that begins a confirm locks the limits that it reads. It either ends before a limit is set, so that the
 * limit counts it, or it reads the new limit.
 */
export const waitForConfirms = async ({ dialect, run }: Statements): Promise<void> => {
  if (dialect.name === 'postgres') await run('LOCK TABLE limits IN EXCLUSIVE MODE')
}

/** PostgreSQL only: selects nothing if the role may change limits. */
export const limitPermissionsQuery = `SELECT current_user::text AS role
  FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS permission
  WHERE NOT has_table_privilege('limits', permission)`

/** Not every role of a team may change limits (see grantAccess). */
const refuseWithoutPermission = async ({ all, dialect }: Statements): Promise<void> => {
  if (dialect.name !== 'postgres') return
  const [row] = await all(limitPermissionsQuery)
  if (row === undefined) return
  const role = String(row.role)
  throw new Failure('local-state', `the database role ${role} may not change limits; nothing was changed`, {
    fix: (suggest) =>
      `Ask the owner of the tables to run this: ${suggest`journal migrate ${{ 'grant-limits': role }}`}`,
  })
}
