// The table of actors: who wrote to the journal, and the machine.

import { type Access, type Identity, unknownIdentity } from './access.ts'
import type { Database, Dialect, Row, Statements, Values } from './database/database.ts'

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
    return known ?? database.transaction((access) => getOrAddActor(access, role, { osUser, host }))
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
export const getOrAddActor = async ({ all }: Statements, role: string, values: Values): Promise<number> => {
  const insert = `INSERT INTO actors (role, os_user, host) VALUES (${role}, $osUser, $host) RETURNING number`
  const found = await all(findActor(role), values)
  const [number = 0] = toNumbers(found.length > 0 ? found : await all(insert, values))
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
  /** The user wrote the row. A different role may write a row in the user's name. */
  const isWritten = `written_by = ${dialect.role}`
  return {
    ...{ isShared, actors, isWritten },
    isOwn: isShared ? `actor IN ${actors} AND ${isWritten}` : 'TRUE',
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

type Signed = { readonly actor?: number | undefined; readonly writtenBy?: string | undefined }

export type FindActor = (row: Signed) => Actor | undefined

/** Returns a function that says who wrote a row, and for whom. Ignores the numbers of damaged rows. */
export const findActors = async ({ all }: Access, rows: readonly Signed[]): Promise<FindActor> => {
  const numbers = new Set(rows.map(({ actor }) => actor).filter(Number.isSafeInteger))
  // No actor has the number 0.
  const found = await all(
    `SELECT number, role, os_user, host FROM actors WHERE number IN (${[0, ...numbers].join(', ')})`,
  )
  const byNumber = new Map(found.map((row) => [Number(row.number), row]))
  return ({ actor, writtenBy }) => readActor({ ...byNumber.get(actor ?? 0), written_by: writtenBy })
}

const toNumbers = (rows: readonly Row[]): number[] => rows.map(({ number }) => Number(number))
