// Describes a shared journal as it is: also one without tables, or of another version. Changes nothing.
import { isServerError } from '../../postgres/failure.ts'
import type { Postgres } from '../../postgres/open.ts'
import type { Row } from '../database/database.ts'
import { postgresNow } from '../database/postgres.ts'
import { createForeignFailure, sharedVersion } from '../shared/shared-schema.ts'
import { compareVersions, type VersionState } from './version-state.ts'

/** A person on a machine who has used the journal. */
type JournalUser = {
  readonly role: string | undefined
  readonly user: string
  readonly host: string
  readonly lastOrderAt: number | undefined
}

type JournalConnection = {
  readonly role: string
  /** Undefined for a Unix socket, or if this role may not see it. */
  readonly host: string | undefined
  readonly count: number
}

/** What is known about the tables. Undefined: a table of another version cannot be read. */
type Contents = {
  readonly orders?: number
  readonly batches?: number
  readonly users?: readonly JournalUser[]
}

export type SharedStatus = Contents & {
  readonly state: VersionState
  readonly version: number | undefined
  readonly id: string | undefined
  readonly expectedVersion: number
  /** The role that the server knows this connection by. */
  readonly role: string
  readonly isStandby: boolean
  /** The time of the database. */
  readonly now: number
  readonly bytes: number
  readonly connections: readonly JournalConnection[]
}

const serverQuery = `SELECT session_user::text AS role, pg_is_in_recovery() AS is_standby,
  ${postgresNow} AS now,
  to_regclass('orderctl_journal') IS NOT NULL AS is_journal, count(*) AS tables,
  coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`

// The server hides the hosts of other roles from a role that is not a member of pg_read_all_stats.
const connectionsQuery = `SELECT usename::text AS role, host(client_addr) AS host, count(*) AS count
  FROM pg_stat_activity WHERE datname = current_database() AND usename IS NOT NULL
  GROUP BY 1, 2 ORDER BY 1, 2`

const maxUsers = 100
const usersQuery = `SELECT role, os_user, host,
  (SELECT max(placed_at) FROM orders WHERE actor = actors.number) AS last_order
  FROM actors ORDER BY last_order DESC NULLS LAST, role, os_user, host LIMIT ${maxUsers}`

/** Throws if the database has tables of another program. `place` is for messages. */
export const readSharedStatus = async (postgres: Postgres, place: string): Promise<SharedStatus> => {
  const { all } = postgres
  const [server = {}] = await all(serverQuery)
  const hasJournal = Boolean(server.is_journal)
  if (!hasJournal && Number(server.tables) > 0) throw createForeignFailure(place)
  const [found] = hasJournal ? await all('SELECT version, id FROM orderctl_journal') : []
  const version = found === undefined ? undefined : Number(found.version)
  return {
    state: compareVersions(version, sharedVersion),
    version,
    id: found === undefined ? undefined : String(found.id),
    expectedVersion: sharedVersion,
    role: String(server.role),
    isStandby: Boolean(server.is_standby),
    now: Number(server.now),
    bytes: Number(server.bytes),
    ...(version === undefined ? {} : await readContents(postgres)),
    connections: (await all(connectionsQuery)).map(toConnection),
  }
}

const readContents = async (postgres: Postgres): Promise<Contents> => ({
  ...(await readCount(postgres, 'orders')),
  ...(await readCount(postgres, 'batches')),
  ...(await ifReadable(async () => ({ users: (await postgres.all(usersQuery)).map(toUser) }))),
})

const readCount = ({ all }: Postgres, table: 'orders' | 'batches'): Promise<Contents> =>
  ifReadable(async () => {
    const [row] = await all(`SELECT count(*) AS count FROM ${table}`)
    return { [table]: Number(row?.count) }
  })

/** undefined_table and undefined_column. */
const codesOfOtherVersions = ['42P01', '42703']

const ifReadable = async (read: () => Promise<Contents>): Promise<Contents> => {
  try {
    return await read()
  } catch (error) {
    if (isServerError(error) && codesOfOtherVersions.includes(error.code)) return {}
    throw error
  }
}

const toUser = ({ role, os_user, host, last_order }: Row): JournalUser => ({
  role: role === null ? undefined : String(role),
  user: String(os_user),
  host: String(host),
  lastOrderAt: last_order === null ? undefined : Number(last_order),
})

const toConnection = ({ role, host, count }: Row): JournalConnection => ({
  role: String(role),
  host: host === null ? undefined : String(host),
  count: Number(count),
})
