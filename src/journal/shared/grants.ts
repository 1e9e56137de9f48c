// Gives the roles of a team the permissions on a shared journal that orderctl needs, and no more.
import { Failure } from '../../errors.ts'
import type { Postgres } from '../../postgres/open.ts'
import { refuseOtherRoles } from './owner.ts'
import { sharedTables } from './shared-schema.ts'

export type Grantee = {
  readonly role: string
  /** Whether the role may change budgets and the total that needs an approval. */
  readonly changesLimits?: boolean
}

/**
 * No role may change an approval, a withdrawal, a row of a plan, or the account of a limit. Only the owner of the tables
 * may change the version.
 */
const permissionsOf = (table: string, { changesLimits = false }: Grantee): string => {
  if (added.includes(table)) return 'SELECT, INSERT'
  if (table === 'orderctl_journal') return 'SELECT'
  // To lock a row, a role must be able to update one of its columns.
  if (table === 'limits' && !changesLimits) return 'SELECT, UPDATE (set_at)'
  return deleted.includes(table) ? 'SELECT, INSERT, UPDATE, DELETE' : 'SELECT, INSERT, UPDATE'
}

/** The tables whose rows never change. */
const added = ['approvals', 'accounts', 'actors', 'batch_rows', 'reveals', 'states', 'withdrawals']

/** The tables from which orderctl deletes rows. A batch that was planned and never started can be planned again. */
const deleted = ['batches', 'limits', 'listeners', 'received', 'slot_leases', 'spent_hours']

/** Throws if the server has no such role. */
export const refuseUnknownRoles = async (
  { all }: Pick<Postgres, 'all'>,
  grantees: readonly Grantee[],
): Promise<void> => {
  const found = new Set((await all('SELECT rolname::text AS name FROM pg_roles')).map(({ name }) => name))
  const unknown = grantees.find(({ role }) => !found.has(role))
  if (unknown === undefined) return
  throw new Failure('usage', `the server has no role ${JSON.stringify(unknown.role)}; nothing was changed`, {
    field: unknown.changesLimits === true ? '--grant-limits' : '--grant',
    fix: 'Create the role first, for example with createuser.',
  })
}

/** Gives the tables that a later version adds to the roles that may use the others. */
export const grantNewTables = ({ transaction }: Postgres): Promise<void> =>
  transaction(async ({ all, run }) => {
    // A table without an ACL was never granted to anybody.
    const tables = await all(
      `SELECT relname::text AS name FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relacl IS NULL
         AND pg_has_role(relowner, 'USAGE')`,
    )
    const roles = tables.length === 0 ? [] : await all(granteesQuery)
    for (const { role, changes_limits } of roles) {
      const grantee = { role: String(role), changesLimits: Boolean(changes_limits) }
      for (const { name } of tables) {
        const table = String(name)
        if (sharedTables.includes(table))
          await run(`GRANT ${permissionsOf(table, grantee)} ON ${quote(table)} TO ${quote(grantee.role)}`)
      }
    }
  })

/** The roles that may place orders, except the owner. */
const granteesQuery = `SELECT pg_get_userbyid(grantee)::text AS role,
    has_table_privilege(grantee, 'limits', 'DELETE') AS changes_limits
  FROM pg_class CROSS JOIN aclexplode(relacl)
  WHERE pg_class.oid = 'orders'::regclass AND privilege_type = 'INSERT' AND grantee <> 0 AND grantee <> relowner`

/** Repeatable. All roles get their permissions, or none. */
export const grantAccess = (
  { transaction }: Postgres,
  grantees: readonly Grantee[],
  place: string,
): Promise<void> =>
  transaction(async ({ all, run }) => {
    await refuseOtherRoles({ all }, place)
    const [names] = await all('SELECT current_database()::text AS database, current_schema()::text AS schema')
    const database = String(names?.database)
    const schema = String(names?.schema)
    for (const grantee of grantees) {
      const { role } = grantee
      const [has] = await all(
        `SELECT has_database_privilege($role, $database, 'CONNECT') AS can_connect,
           has_schema_privilege($role, $schema, 'USAGE') AS can_use`,
        { role, database, schema },
      )
      // By default, each role has these two, and the owner of a database may not be the owner of its schema.
      if (!has?.can_connect) await run(`GRANT CONNECT ON DATABASE ${quote(database)} TO ${quote(role)}`)
      if (!has?.can_use) await run(`GRANT USAGE ON SCHEMA ${quote(schema)} TO ${quote(role)}`)
      for (const table of sharedTables) {
        await run(
          `GRANT ${permissionsOf(table, grantee)} ON ${quote(schema)}.${quote(table)} TO ${quote(role)}`,
        )
      }
    }
  })

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
