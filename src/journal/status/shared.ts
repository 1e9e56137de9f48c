// Describes and checks a shared journal, also one without tables. Changes nothing.
import { type Address, nameDatabase } from '../../postgres/address.ts'
import { checkServer } from '../../postgres/check-server.ts'
import type { Postgres } from '../../postgres/open.ts'
import type { Row } from '../database/database.ts'
import { createRestoredFailure, findLostCall, readNotes } from '../newest-call.ts'
import { createForeignFailure, readSharedState, refuseOtherVersion } from '../shared/shared-schema.ts'

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

type Contents = {
  readonly version: number
  readonly orders: number
  readonly batches: number
  readonly users: readonly JournalUser[]
}

export type SharedStatus = {
  /** Undefined if the tables are missing. */
  readonly contents: Contents | undefined
  /** The role that the server knows this connection by. */
  readonly role: string
  readonly isStandby: boolean
  readonly bytes: number
  readonly connections: readonly JournalConnection[]
}

const serverQuery = `SELECT session_user::text AS role, pg_is_in_recovery() AS is_standby,
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

/** Throws if the database has tables of another program or version. `place` is for messages. */
export const readSharedStatus = async ({ all }: Postgres, place: string): Promise<SharedStatus> => {
  const [server = {}] = await all(serverQuery)
  const hasJournal = Boolean(server.is_journal)
  if (!hasJournal && Number(server.tables) > 0) throw createForeignFailure(place)
  return {
    contents: hasJournal ? await readContents(all, place) : undefined,
    role: String(server.role),
    isStandby: Boolean(server.is_standby),
    bytes: Number(server.bytes),
    connections: (await all(connectionsQuery)).map(toConnection),
  }
}

const readContents = async (all: Postgres['all'], place: string): Promise<Contents> => {
  const [found] = await all('SELECT version FROM orderctl_journal')
  refuseOtherVersion(place, found?.version)
  const [counts] = await all(
    'SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM batches) AS batches',
  )
  return {
    version: Number(found?.version),
    ...{ orders: Number(counts?.orders), batches: Number(counts?.batches) },
    users: (await all(usersQuery)).map(toUser),
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

export type SharedCheck = {
  /** The role that the server knows this connection by. */
  readonly role: string
  /** Undefined if the tables are missing. */
  readonly tables:
    | {
        /** Whether the role may record orders. */
        readonly canWrite: boolean
        /** The time of the database. */
        readonly now: number
      }
    | undefined
}

const roleQuery = 'SELECT session_user::text AS role'
const writeQuery = `SELECT has_table_privilege('orders', 'INSERT') AND has_table_privilege('calls', 'INSERT') AS can_write`

/**
 * Throws if orders cannot be recorded safely: a standby, a server without fsync, tables of another version, a journal
 * restored from a backup.
 */
export const checkShared = async (
  postgres: Postgres,
  address: Address,
  noteFolder: string | undefined,
): Promise<SharedCheck> => {
  const [first] = await postgres.all(roleQuery)
  const role = String(first?.role)
  await checkServer(postgres, address.text)
  const notes = readNotes(noteFolder)
  const state = await readSharedState(postgres, address.text, notes)
  if (state === undefined) return { role, tables: undefined }
  const lost = findLostCall(notes, state, nameDatabase(address))
  if (lost !== undefined) throw createRestoredFailure(address.text, lost)
  const [rights] = await postgres.all(writeQuery)
  return { role, tables: { canWrite: Boolean(rights?.can_write), now: state.now } }
}
