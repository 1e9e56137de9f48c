// The tables of accounts that have orders in the journal, with what a database role may do there, and of actors: who wrote to
// the journal, and the machine.

import type { AccountId } from '../contract/account-id.ts'
import { type Access, type Identity, unknownIdentity } from './access.ts'
import {
  type Database,
  type Dialect,
  hasRow,
  insertRow,
  type Row,
  type Statements,
  type Values,
} from './database/database.ts'
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

/** The values of these queries. */
export const accountValues = ({ address, name }: AccountId) => ({ address, name: name ?? null })

/**
 * SQL: a row of an account that may be this account. The database looks up the accounts in the same query, which saves a
 * round trip. Use it only if a further condition of the query leaves few rows.
 */
export const ofSameAccount = `account IN (${accountNumbersQuery})`

/** An SQL condition on `account`, which also includes accounts that may be the same (see isSameAccount). */
export const readAccountCondition = async (
  { all }: Pick<Statements, 'all'>,
  account: AccountId,
): Promise<string> => {
  const numbers = toNumbers(await all(accountNumbersQuery, accountValues(account)))
  // With `=`, SQLite reads the rows of one account in index order. No account has the number 0, which stands for
  // an empty list because SQLite cannot use an index for `IN ()`.
  return numbers.length <= 1 ? `account = ${numbers[0] ?? 0}` : `account IN (${numbers.join(', ')})`
}

/** Call it within a transaction, because it may insert a row. */
export const getOrAddAccount = async (access: Statements, account: AccountId): Promise<number> => {
  const [found] = await access.all(ownAccountQuery, accountValues(account))
  return found === undefined ? insertRow(access, accounts, account) : Number(found.number)
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
export const mayOnlyPrepare = (access: Access, account: AccountId): Promise<boolean> => {
  const where = `kind = 'prepare-only' AND for_role = ${access.dialect.role} AND ${ofSameAccount}`
  return hasRow(access, `SELECT 1 FROM limits WHERE ${where} LIMIT 1`, accountValues(account))
}

/** As JSON shows it. */
export type Actor = {
  /** The role that the database server reports. SQLite has none. */
  readonly role: string | null
  readonly user: string
  readonly host: string
  /** The role that wrote the row. NULL in SQLite. It differs from `role` if the row was written for someone else. */
  readonly writtenBy: string | null
}

/** An empty name counts as unknown. */
export const cleanIdentity = (identity: Identity): Identity => ({
  ...identity,
  osUser: identity.osUser || unknownIdentity.osUser,
  host: identity.host || unknownIdentity.host,
})

/** Finds or inserts the actor of this process, once. */
export const createActorFinder = (database: Database, identify: () => Identity): (() => Promise<number>) => {
  let found: Promise<number> | undefined

  // A separate transaction: if the first write is rolled back, the actor stays.
  const findOrInsert = async (): Promise<number> => {
    const { osUser, host } = identify()
    const { role } = database.dialect
    const [known] = toNumbers(await database.all(findActor(role), { osUser, host }))
    return known ?? database.transaction(({ all }) => getOrAddActor(all, role, { osUser, host }))
  }

  return () => {
    found ??= findOrInsert().catch((error) => {
      // The next write tries again.
      found = undefined
      throw error
    })
    return found
  }
}

const findActor = (role: string): string => `SELECT number FROM actors
  WHERE coalesce(role, '') = coalesce(${role}, '') AND os_user = $osUser AND host = $host`

/** `role` is SQL. Call it within a transaction. */
const getOrAddActor = async (all: Statements['all'], role: string, values: Values): Promise<number> => {
  const insert = `INSERT INTO actors (role, os_user, host) VALUES (${role}, $osUser, $host)`
  await all(`${insert} ON CONFLICT DO NOTHING`, values)
  const [number = 0] = toNumbers(await all(findActor(role), values))
  return number
}

/** Undefined if no actor is known. */
export const readActor = ({ role, os_user, host, written_by }: Row): Actor | undefined => {
  if (os_user == null && written_by == null) return undefined
  const toText = (value: unknown): string | null => (value == null ? null : String(value))
  return {
    role: toText(role),
    user: toText(os_user) ?? unknownIdentity.osUser,
    host: toText(host) ?? unknownIdentity.host,
    writtenBy: toText(written_by),
  }
}

/** Of the latest actors, because CI machines may have a new name each time. */
const maxActors = 10_000

/** The actors with this database role or OS user. Ignores case only if no name matches exactly. */
export const findActorNumbers = async ({ all }: Access, name: string): Promise<number[]> => {
  const rows = await all(
    `SELECT number, role, os_user FROM actors
     WHERE role = $name OR os_user = $name OR lower(role) = $folded OR lower(os_user) = $folded`,
    { name, folded: name.toLowerCase() },
  )
  const exact = rows.filter(({ role, os_user }) => role === name || os_user === name)
  return toNumbers(exact.length > 0 ? exact : rows)
}

/** The actors with the database role of this process or, in SQLite, with its OS user. */
export const findOwnNumbers = async ({ all, dialect: { role }, identify }: Access): Promise<number[]> => {
  const isOwn = `CASE WHEN ${role} IS NULL THEN os_user = $osUser ELSE role = ${role} END`
  return toNumbers(await all(`SELECT number FROM actors WHERE ${isOwn}`, { osUser: identify().osUser }))
}

/**
 * Conditions on the user's rows, for the last order and the last batch. In a shared journal, these are the rows of the
 * same database role and OS user, on any of their machines. A machine's file contains only its user's rows.
 */
export const findOwn = ({
  dialect,
  identify,
}: Pick<Access, 'identify'> & { readonly dialect: Pick<Dialect, 'name' | 'role'> }) => {
  const isShared = dialect.name === 'postgres'
  const actors = `(SELECT number FROM actors WHERE role = ${dialect.role} AND os_user = $osUser
    ORDER BY number DESC LIMIT ${maxActors})`
  return {
    isShared,
    // A different role may write a row in the user's name.
    isOwn: isShared ? `actor IN ${actors} AND written_by = ${dialect.role}` : 'TRUE',
    values: (isShared ? { osUser: identify().osUser } : {}) as Values,
  }
}

/** Database roles and OS users, each once. */
export const listActorNames = async ({ all }: Pick<Access, 'all'>, limit: number): Promise<string[]> => {
  const latest = `FROM actors ORDER BY number DESC LIMIT ${maxActors}`
  const rows = await all(
    `SELECT role AS name FROM (SELECT role ${latest}) AS latest WHERE role IS NOT NULL
     UNION SELECT os_user FROM (SELECT os_user ${latest}) AS latest ORDER BY name LIMIT $limit`,
    { limit },
  )
  return rows.map(({ name }) => String(name))
}

type RowAuthor = { readonly actor?: number | undefined; readonly writtenBy?: string | undefined }

type FindActor = (row: RowAuthor) => Actor | undefined

/** Returns a function that says who wrote a row, and for whom. Ignores the numbers of damaged rows. */
export const findActors = async ({ all }: Access, rows: readonly RowAuthor[]): Promise<FindActor> => {
  const numbers = new Set(rows.map(({ actor }) => actor).filter(Number.isSafeInteger))
  // No actor has the number 0.
  const found = await all(
    `SELECT number, role, os_user, host FROM actors WHERE number IN (${[0, ...numbers].join(', ')})`,
  )
  const byNumber = new Map(found.map((row) => [Number(row.number), row]))
  return ({ actor, writtenBy }) => readActor({ ...byNumber.get(actor ?? 0), written_by: writtenBy })
}

export const toNumbers = (rows: readonly Row[]): number[] => rows.map(({ number }) => Number(number))
