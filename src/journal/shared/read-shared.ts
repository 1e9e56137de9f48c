// Reads rows of a shared journal for completion. Opens no journal, because that may create tables and replay outcomes.
import type { Postgres } from '../../postgres/open.ts'
import { accountNumbersQuery, createAccountCondition } from '../accounts.ts'
import type { Identity } from '../actors/actors.ts'
import type { Values } from '../database/database.ts'
import { createProfileCondition, type ReadRows, type Selection } from '../read-only.ts'
import { versions } from '../tables/list.ts'

// One query instead of two: each is a round trip.
const versionAndAccountsQuery = `SELECT version, ARRAY_TO_STRING(ARRAY(${accountNumbersQuery}), ' ') AS accounts
  FROM orderctl_journal`

const versionQuery = 'SELECT version FROM orderctl_journal'

const isMine = `coalesce(written_by = session_user AND actor IN (
  SELECT number FROM actors WHERE role = written_by AND os_user = $osUser), false)`

/** Throws if the journal has another version. */
export const createSharedReader = (
  { all }: Pick<Postgres, 'all'>,
  { osUser }: Pick<Identity, 'osUser'>,
): ReadRows => {
  const readCondition = async (selection: Selection): Promise<{ where: string; values: Values }> => {
    if (!('account' in selection)) {
      checkVersion((await all(versionQuery))[0]?.version)
      return createProfileCondition(selection)
    }
    const { address, name } = selection.account
    const [row] = await all(versionAndAccountsQuery, { address, name: name ?? null })
    checkVersion(row?.version)
    const numbers = String(row?.accounts).split(' ').filter(Boolean)
    return { where: createAccountCondition(numbers.map((number) => ({ number }))), values: {} }
  }
  return async ({ selection, sql, needsUser }, use) => {
    const { where, values } = await readCondition(selection)
    return use(await all(sql(where, isMine), needsUser ? { ...values, osUser } : values))
  }
}

const checkVersion = (version: unknown): void => {
  if (Number(version) !== versions.postgres) throw new Error('the journal has another version')
}
