// The table of accounts that have orders in the journal, and whether a database role may only prepare orders of one.
import type { AccountId } from '../contract/account-id.ts'
import { insertRow, type Row, type Statements, type Values } from './database/database.ts'
import { accounts } from './tables/accounts.ts'

/** The rows of all accounts that may be this account. Addresses and names are lower case, as in an AccountId. */
export const accountNumbersQuery = `SELECT number FROM accounts
  WHERE address = $address AND (name IS NULL OR CAST($name AS TEXT) IS NULL OR name = $name)`

/** The condition that two rows of `accounts` may be one account, as `isSameAccount` says. */
export const matchAccounts = (one: string, other: string): string =>
  `${one}.address = ${other}.address
     AND (${one}.name IS NULL OR ${other}.name IS NULL OR ${one}.name = ${other}.name)`

/** Only the row with exactly this name, or without one. */
export const ownAccountQuery = `SELECT number FROM accounts
  WHERE address = $address AND name IS NOT DISTINCT FROM $name`

/**
 * Selects the rows of all accounts that may be this account. The database looks up the accounts in the same query,
 * which saves a round trip. Use it only if a further condition of the query leaves few rows.
 */
export const ofSameAccount = (
  { address, name }: AccountId,
  column = 'account',
): { where: string; values: Values } => ({
  where: `${column} IN (${accountNumbersQuery})`,
  values: { address, name: name ?? null },
})

/** An SQL condition on `account`. */
const createAccountCondition = (rows: readonly Row[]): string => {
  const numbers = rows.map(({ number }) => Number(number))
  // With `=`, SQLite reads the rows of one account in index order. No account has the number 0, which stands for
  // an empty list because SQLite cannot use an index for `IN ()`.
  return numbers.length <= 1 ? `account = ${numbers[0] ?? 0}` : `account IN (${numbers.join(', ')})`
}

/** The condition also includes accounts that may be the same (see isSameAccount). */
export const readAccountCondition = async (
  { all }: Pick<Statements, 'all'>,
  { address, name }: AccountId,
): Promise<string> => createAccountCondition(await all(accountNumbersQuery, { address, name: name ?? null }))

/** Call it within a transaction, because it may insert a row. */
export const getOrAddAccount = async (access: Statements, { address, name }: AccountId): Promise<number> => {
  const [found] = await access.all(ownAccountQuery, { address, name: name ?? null })
  return found === undefined ? insertRow(access, accounts, { address, name }) : Number(found.number)
}

export const getAccount = async (
  { all }: Pick<Statements, 'all'>,
  number: number,
): Promise<AccountId | undefined> => {
  const [found] = await all('SELECT address, name FROM accounts WHERE number = $number', { number })
  if (found === undefined) return undefined
  const { address, name } = found as { address: string; name: string | null }
  return { address, name: name ?? undefined }
}

/** Whether this process's database role may prepare orders of the account, but not confirm them. */
export const mayOnlyPrepare = async (
  { all, dialect }: Pick<Statements, 'all' | 'dialect'>,
  { address, name }: AccountId,
): Promise<boolean> => {
  const found = await all(
    `SELECT 1 FROM limits
     WHERE kind = 'prepare-only' AND for_role = ${dialect.role} AND account IN (${accountNumbersQuery}) LIMIT 1`,
    { address, name: name ?? null },
  )
  return found.length > 0
}
