// The tables of the journal in PostgreSQL: reads their version, and creates them.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { isServerError } from '../../postgres/failure.ts'
import { checkServer, type Postgres } from '../../postgres/open.ts'
import type { Row } from '../database/database.ts'
import { postgresNow } from '../database/postgres.ts'
import type { NewestCall, Note } from '../newest-call.ts'
import { createJournalSql, versions } from '../tables/list.ts'

type Statements = Pick<Postgres, 'all' | 'run'>

export type SharedState = {
  readonly id: string
  readonly isDurable: boolean
  readonly isStandby: boolean
  /** The time of the database. */
  readonly now: number
  /** Undefined if the journal has no calls. */
  readonly newest?: NewestCall
  /** Whether it has the call of its note. */
  readonly hasSeen: boolean
}

/**
 * Undefined if the database has no journal. Throws if its tables are of another version. `place` is the address of the
 * journal, and `notes` are the newest calls that this machine has seen.
 */
export const readSharedState = async (
  { all }: Statements,
  place: string,
  notes: readonly Note[],
): Promise<SharedState | undefined> => {
  try {
    const [row] = await all(
      `SELECT version, orderctl_journal.id, current_setting('fsync') AS fsync,
         pg_is_in_recovery() AS is_standby, ${postgresNow} AS now, newest.number AS call, newest.id AS call_id,
         newest.started_at,
         EXISTS (SELECT 1 FROM calls WHERE calls.id = CAST($calls AS JSONB) ->> orderctl_journal.id) AS has_seen
       FROM orderctl_journal
         LEFT JOIN (SELECT number, id, started_at FROM calls ORDER BY number DESC LIMIT 1) AS newest ON true`,
      { calls: JSON.stringify(Object.fromEntries(notes.map(({ journal, id }) => [journal, id]))) },
    )
    if (row === undefined) return undefined
    refuseOtherVersion(place, row.version)
    return toState(row)
  } catch (error) {
    if (!isMissing(error)) throw error
    await hasSharedTables({ all }, place)
    return undefined
  }
}

const toState = ({ id, fsync, is_standby, now, ...row }: Row): SharedState => ({
  id: String(id),
  isDurable: fsync === 'on',
  isStandby: Boolean(is_standby),
  now: Number(now),
  newest:
    row.call === null
      ? undefined
      : { call: Number(row.call), id: String(row.call_id), startedAt: Number(row.started_at) },
  hasSeen: Boolean(row.has_seen),
})

/** undefined_table, and undefined_column: tables of another version may lack either. */
const missingCodes = ['42P01', '42703']

const isMissing = (error: unknown): boolean => isServerError(error) && missingCodes.includes(error.code)

const refuseOtherVersion = (place: string, found: unknown): void => {
  const expected = versions.postgres
  if (Number(found) === expected) return
  throw new Failure(
    'local-state',
    `the journal ${place} was written by another version of orderctl (schema ${found}, expected ${expected})`,
    {
      fix: 'It was left untouched. Use the version of orderctl that created it, on all machines. A new journal needs an empty database.',
    },
  )
}

/** Creates all tables in an empty database, or none. Returns false if the journal exists. */
export const createSharedTables = ({ transaction }: Postgres, place: string): Promise<boolean> =>
  transaction(async (statements) => {
    await checkServer(statements, place)
    // Held until the end of the transaction. The number only has to differ from those of other programs.
    await statements.run("SELECT pg_advisory_xact_lock(hashtext('orderctl journal'))")
    if (await hasSharedTables(statements, place)) return false
    for (const sql of createJournalSql('postgres')) await statements.run(sql)
    await statements.run('INSERT INTO orderctl_journal (version, id) VALUES ($version, $id)', {
      version: versions.postgres,
      id: randomUUID(),
    })
    return true
  })

/** Throws if the tables are of another version. A failed statement would end the transaction, so it asks the catalogue. */
const hasSharedTables = async ({ all }: Pick<Statements, 'all'>, place: string): Promise<boolean> => {
  const [found] = await all(`SELECT to_regclass('orderctl_journal') IS NOT NULL AS is_journal,
    (SELECT min(relnamespace::regnamespace::text) FROM pg_class
     WHERE relname = 'orderctl_journal' AND relkind = 'r' AND relpersistence <> 't') AS schema,
    (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS tables`)
  if (found?.is_journal) {
    const [row] = await all('SELECT version FROM orderctl_journal')
    refuseOtherVersion(place, row?.version)
    return true
  }
  if (found?.schema != null) throw createHiddenFailure(place, String(found.schema))
  if (Number(found?.tables) === 0) return false
  throw createForeignFailure(place)
}

/** A second journal of the same database would not know the orders of the first one. */
const createHiddenFailure = (place: string, schema: string): Failure =>
  new Failure(
    'local-state',
    `${place} has its journal in the schema ${schema}, which is not in the search_path of this role`,
    { fix: `Type into psql: ALTER ROLE … SET search_path = ${schema}. Nothing was changed.` },
  )

const createForeignFailure = (place: string): Failure =>
  new Failure('local-state', `${place} has tables of another program`, {
    fix: 'Create an empty database for the journal. Nothing was changed.',
  })
