// Refuses what only the owner of the tables of a shared journal can do.
import { Failure } from '../../errors.ts'
import type { Postgres } from '../../postgres/open.ts'

/** A member of the owning role counts as the owner. `place` is the address of the journal. */
export const refuseOtherRoles = async ({ all }: Pick<Postgres, 'all'>, place: string): Promise<void> => {
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
    { fix: `Run the command as the owner: ORDERCTL_JOURNAL=${address}` },
  )
}
