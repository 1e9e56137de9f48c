// Copies the limits of accounts. A limit that the target already has stays.
import type { Row, Statements } from '../database/database.ts'
import { limitPermissionsQuery, waitForConfirms } from '../limits/limits.ts'
import type { RunTransaction } from '../tables.ts'
import type { CopiedLimit, LimitCopies } from './counts.ts'
import type { Numbers } from './numbers.ts'
import type { CopySource } from './source.ts'

/** Needs the permission to change limits. Without it, nothing is copied. */
export const copyLimits = async (
  source: CopySource,
  runTransaction: RunTransaction,
  { accounts, actors }: Pick<Numbers, 'accounts' | 'actors'>,
): Promise<LimitCopies> => {
  const rows = await source.all(
    `SELECT limits.*, name FROM limits JOIN accounts ON number = account ORDER BY account, currency, kind`,
  )
  const wanted = rows.filter(({ account }) => accounts.has(account))
  const none = { copied: [], kept: [], refused: [] }
  if (wanted.length === 0) return none
  return runTransaction(async ({ statements }) => {
    const all = await Promise.all(
      wanted.map(async (row) => ({
        row,
        limit: toLimit(row),
        known: await findKnown(statements, row, accounts),
      })),
    )
    const kept = all.flatMap(({ limit, known }) =>
      known === undefined || known === limit.amount ? [] : [{ ...limit, amount: known }],
    )
    const fresh = all.filter(({ known }) => known === undefined)
    const limits = fresh.map(({ limit }) => limit)
    if (fresh.length === 0 || !(await mayChangeLimits(statements)))
      return { copied: [], kept, refused: limits }
    await waitForConfirms(statements)
    for (const { row } of fresh) await insertLimit(statements, row, { accounts, actors })
    return { copied: limits, kept, refused: [] }
  })
}

const toLimit = ({ kind, currency, amount, name }: Row): CopiedLimit => ({
  kind: String(kind),
  currency: String(currency),
  amount: String(amount),
  account: name === null ? null : String(name),
})

const findKnown = async (
  { all }: Statements,
  { account, kind, currency }: Row,
  accounts: Numbers['accounts'],
): Promise<string | undefined> => {
  const [found] = await all(
    'SELECT amount FROM limits WHERE account = $account AND kind = $kind AND currency = $currency',
    { account: accounts.get(account) ?? null, kind: String(kind), currency: String(currency) },
  )
  return found === undefined ? undefined : String(found.amount)
}

const mayChangeLimits = async ({ all, dialect }: Statements): Promise<boolean> =>
  dialect.name !== 'postgres' || (await all(limitPermissionsQuery)).length === 0

const insertLimit = async (
  { run }: Statements,
  { account, actor, kind, currency, amount, set_at }: Row,
  { accounts, actors }: Pick<Numbers, 'accounts' | 'actors'>,
): Promise<void> =>
  void (await run(
    `INSERT INTO limits (account, kind, currency, amount, actor, set_at)
     VALUES ($account, $kind, $currency, $amount, $actor, $setAt) ON CONFLICT DO NOTHING`,
    {
      ...{ account: accounts.get(account) ?? null, actor: actors.get(actor) ?? null },
      ...{ kind: String(kind), currency: String(currency), amount: String(amount), setAt: Number(set_at) },
    },
  ))
