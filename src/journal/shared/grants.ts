// Gives the roles of a team the permissions on a shared journal that orderctl needs, and no more.
import { Failure } from '../../errors.ts'
import type { Postgres } from '../../postgres/open.ts'
import { tables } from '../tables/list.ts'

export type Grantee = {
  readonly role: string
  /** Whether the role may change budgets and the total that needs an approval. */
  readonly changesLimits?: boolean
}

/** Throws if the server has no such role. */
export const refuseUnknownRoles = async ({ all }: Pick<Postgres, 'all'>, grantees: readonly Grantee[]) => {
  const found = new Set((await all('SELECT rolname::text AS name FROM pg_roles')).map(({ name }) => name))
  const unknown = grantees.find(({ role }) => !found.has(role))
  if (unknown === undefined) return
  throw new Failure('usage', `the server has no role ${JSON.stringify(unknown.role)}; nothing was changed`, {
    field: unknown.changesLimits === true ? '--grant-limits' : '--grant',
    advice: 'Create the role first, for example with createuser.',
  })
}

/** Repeatable. All roles get their permissions, or none. */
export const grantAccess = (
  { transaction }: Postgres,
  grantees: readonly Grantee[],
  place: string,
): Promise<void> =>
  transaction(async ({ all, run }) => {
    await refuseOtherRoles({ all }, place)
    const [names] = await all('SELECT current_database()::text AS database, current_schema()::text AS schema')
    const { database, schema } = names as { database: string; schema: string }
    for (const { role, changesLimits = false } of grantees) {
      const [has] = await all(
        `SELECT has_database_privilege($role, $database, 'CONNECT') AS can_connect,
           has_schema_privilege($role, $schema, 'USAGE') AS can_use`,
        { role, database, schema },
      )
      const to = `TO ${quote(role)}`
      // By default, each role has these two, and the owner of a database may not be the owner of its schema.
      if (!has?.can_connect) await run(`GRANT CONNECT ON DATABASE ${quote(database)} ${to}`)
      if (!has?.can_use) await run(`GRANT USAGE ON SCHEMA ${quote(schema)} ${to}`)
      for (const { name, grant, grantToChangeLimits = grant } of tables) {
        const permissions = changesLimits ? grantToChangeLimits : grant
        await run(`GRANT ${permissions} ON ${quote(schema)}.${quote(name)} ${to}`)
      }
    }
  })

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A member of the owning role counts as the owner. `place` is the address of the journal. */
const refuseOtherRoles = async ({ all }: Pick<Postgres, 'all'>, place: string): Promise<void> => {
  const [found] = await all(
    `SELECT pg_get_userbyid(relowner)::text AS owner, current_user::text AS role,
       pg_has_role(current_user, relowner, 'USAGE') AS is_owner
     FROM pg_class WHERE oid = to_regclass('orderctl_journal')`,
  )
  if (found === undefined || found.is_owner) return
  const owner = encodeURIComponent(String(found.owner))
  const address = place.replace(/^postgres:\/\/[^@]*@/, `postgres://${owner}@`)
  throw new Failure(
    'local-state',
    `the role ${found.role} does not own the tables of ${place}; nothing was changed`,
    { advice: `Run the command as the owner, with ORDERCTL_JOURNAL=${address}` },
  )
}
