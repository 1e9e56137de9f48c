// Gives the roles of a team the permissions on a shared journal that orderctl needs, and no more.
import { Failure } from '../../errors.ts'
import type { Postgres } from '../../postgres/open.ts'
import { sharedTables } from './shared-schema.ts'

/** Nobody may change an approval. Only the owner of the tables may change the version. */
const permissionsOf = (table: string): string => {
  if (table === 'approvals') return 'SELECT, INSERT'
  if (table === 'orderctl_journal') return 'SELECT'
  return deleted.includes(table) ? 'SELECT, INSERT, UPDATE, DELETE' : 'SELECT, INSERT, UPDATE'
}

/** The tables from which orderctl deletes rows. A batch that was planned and never started can be planned again. */
const deleted = ['batches', 'batch_rows', 'batch_cards', 'limits', 'slot_leases']

/** Throws if the server has no such role. */
export const refuseUnknownRoles = async ({ all }: Pick<Postgres, 'all'>, roles: readonly string[]) => {
  const found = new Set((await all('SELECT rolname::text AS name FROM pg_roles')).map(({ name }) => name))
  const unknown = roles.find((role) => !found.has(role))
  if (unknown === undefined) return
  throw new Failure('usage', `the server has no role ${JSON.stringify(unknown)}; nothing was changed`, {
    field: '--grant',
    fix: 'Create the role first, for example with createuser.',
  })
}

/** Repeatable. All roles get their permissions, or none. */
export const grantAccess = ({ transaction }: Postgres, roles: readonly string[]): Promise<void> =>
  transaction(async ({ all, run }) => {
    const [place] = await all('SELECT current_database()::text AS database, current_schema()::text AS schema')
    const database = String(place?.database)
    const schema = String(place?.schema)
    for (const role of roles) {
      const [has] = await all(
        `SELECT has_database_privilege($role, $database, 'CONNECT') AS can_connect,
           has_schema_privilege($role, $schema, 'USAGE') AS can_use`,
        { role, database, schema },
      )
      // By default, each role has these two, and the owner of a database may not be the owner of its schema.
      if (!has?.can_connect) await run(`GRANT CONNECT ON DATABASE ${quote(database)} TO ${quote(role)}`)
      if (!has?.can_use) await run(`GRANT USAGE ON SCHEMA ${quote(schema)} TO ${quote(role)}`)
      for (const table of sharedTables) {
        await run(`GRANT ${permissionsOf(table)} ON ${quote(schema)}.${quote(table)} TO ${quote(role)}`)
      }
    }
  })

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
