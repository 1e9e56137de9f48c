// The table of actors: who wrote to the journal, and on which machine.
import type { Database, Row, Statements } from '../database/database.ts'

/** What this process says about its user. */
export type Identity = {
  readonly osUser: string
  readonly host: string
  /** Who else acts for the user. Undefined for the user's own commands. */
  readonly through?: 'mcp' | undefined
}

/** As JSON shows it. */
export type Actor = {
  /** The role that the database server reports. SQLite has none. */
  readonly role: string | null
  readonly user: string
  readonly host: string
  /** The role that wrote the row. NULL in SQLite. It differs from `role` if the row was written for somebody else. */
  readonly writtenBy: string | null
}

export const unknownIdentity: Identity = { osUser: 'unknown', host: 'unknown' }

/** An empty name counts as unknown. */
export const cleanIdentity = ({ osUser, host }: Identity): Identity => ({
  osUser: osUser || unknownIdentity.osUser,
  host: host || unknownIdentity.host,
})

/** Finds or inserts the actor of this process, once. */
export const createActorFinder = (database: Database, identify: () => Identity): (() => Promise<number>) => {
  let found: Promise<number> | undefined

  // A transaction of its own: if the first write is rolled back, the actor stays.
  const findOrInsert = async (): Promise<number> => {
    const values = cleanIdentity(identify())
    return (
      (await findNumber(database, values)) ??
      (await database.transaction(
        async (statements) => (await findNumber(statements, values)) ?? (await insert(statements, values)),
      ))
    )
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

const findNumber = async (
  { all, dialect }: Statements,
  { osUser, host }: Identity,
): Promise<number | undefined> => {
  const [row] = await all(
    `SELECT number FROM actors
     WHERE coalesce(role, '') = coalesce(${dialect.role}, '') AND os_user = $osUser AND host = $host`,
    { osUser, host },
  )
  return row === undefined ? undefined : Number(row.number)
}

const insert = async ({ all, dialect }: Statements, { osUser, host }: Identity): Promise<number> => {
  const [row] = await all(
    `INSERT INTO actors (role, os_user, host) VALUES (${dialect.role}, $osUser, $host) RETURNING number`,
    { osUser, host },
  )
  return Number(row?.number)
}

/** Undefined if nobody is known. */
export const readActor = ({ role, os_user, host, written_by }: Row): Actor | undefined => {
  const writtenBy = written_by == null ? null : String(written_by)
  if (os_user != null)
    return { role: role === null ? null : String(role), user: String(os_user), host: String(host), writtenBy }
  const { osUser: user, host: unknownHost } = unknownIdentity
  return writtenBy === null ? undefined : { role: null, user, host: unknownHost, writtenBy }
}

/** Of the latest actors: machines of CI jobs may have a new name each time. */
const maxActors = 10_000

/** Selects the names of all actors. */
export const actorNamesQuery = `
  SELECT role AS name FROM (SELECT role FROM actors ORDER BY number DESC LIMIT ${maxActors}) AS latest
  WHERE role IS NOT NULL
  UNION SELECT os_user FROM (SELECT os_user FROM actors ORDER BY number DESC LIMIT ${maxActors}) AS latest
  ORDER BY name`
