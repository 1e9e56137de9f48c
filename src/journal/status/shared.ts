// Describes and checks a shared journal, also one without tables. Changes nothing.
import { type Address, nameDatabase } from '../../postgres/address.ts'
import type { Postgres } from '../../postgres/open.ts'
import { findLostCall, type Note } from '../newest-call.ts'
import { readSharedState } from '../shared/shared-schema.ts'
import { versions } from '../tables/list.ts'

type Contents = {
  readonly version: number
  readonly bytes: number
  readonly orders: number
  readonly batches: number
  /** Those who have used the journal. */
  readonly users: readonly {
    readonly role: string | null
    readonly user: string
    readonly host: string
    readonly lastOrderAt: number | null
  }[]
  /** Whether the role may record orders. */
  readonly canWrite: boolean
  /** The time of the database. */
  readonly now: number
}

export type SharedStatus = {
  /** The role that the server knows this connection by. */
  readonly role: string
  readonly connections: readonly {
    readonly role: string
    /** Null for a Unix socket, or if this role may not see it. */
    readonly host: string | null
    readonly count: number
  }[]
  /** The note of a call that it lacks. */
  readonly lost: Note | undefined
  /** Undefined if the tables are missing. */
  readonly contents: Contents | undefined
}

// The server hides the hosts of other roles from a role that is not a member of pg_read_all_stats.
const connectionsQuery = `SELECT usename::text AS role, host(client_addr) AS host, count(*) AS count
  FROM pg_stat_activity WHERE datname = current_database() AND usename IS NOT NULL
  GROUP BY 1, 2 ORDER BY 1, 2`

const contentsQuery = `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM batches) AS batches,
  has_table_privilege('orders', 'INSERT') AND has_table_privilege('calls', 'INSERT') AS can_write,
  (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
   WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS bytes`

const maxUsers = 100
const usersQuery = `SELECT role, os_user, host,
  (SELECT max(placed_at) FROM orders WHERE actor = actors.number) AS last_order
  FROM actors ORDER BY last_order DESC NULLS LAST, role, os_user, host LIMIT ${maxUsers}`

/** Throws if the database has tables of another program or version. */
export const readSharedStatus = async (
  postgres: Postgres,
  address: Address,
  notes: readonly Note[],
): Promise<SharedStatus> => {
  const { all } = postgres
  const [server] = await all('SELECT session_user::text AS role')
  const state = await readSharedState(postgres, address.text, notes)
  return {
    role: String(server?.role),
    connections: (await all(connectionsQuery)).map(({ role, host, count }) => ({
      ...{ role: String(role), host: toText(host), count: Number(count) },
    })),
    lost: findLostCall(notes, state, nameDatabase(address)),
    contents: state === undefined ? undefined : await readContents(all, state.now),
  }
}

const toText = (value: unknown): string | null => (value === null ? null : String(value))

const readContents = async (all: Postgres['all'], now: number): Promise<Contents> => {
  const [found = {}] = await all(contentsQuery)
  return {
    version: versions.postgres,
    ...{ bytes: Number(found.bytes), orders: Number(found.orders), batches: Number(found.batches) },
    users: (await all(usersQuery)).map(({ role, os_user: user, host, last_order: at }) => ({
      ...{ role: toText(role), user: String(user), host: String(host) },
      lastOrderAt: at === null ? null : Number(at),
    })),
    ...{ canWrite: Boolean(found.can_write), now },
  }
}
