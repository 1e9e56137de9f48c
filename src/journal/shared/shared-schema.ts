// The schema of the journal in PostgreSQL: reads its version, and updates it.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { checkServer } from '../../postgres/check-server.ts'
import { isServerError } from '../../postgres/failure.ts'
import type { Postgres } from '../../postgres/open.ts'
import type { Row } from '../database/database.ts'
import { postgresNow } from '../database/postgres.ts'
import type { NewestCall, Note } from '../newest-call.ts'
import { createSharedTables } from '../steps/postgres-1.ts'
import { refuseOtherRoles } from './owner.ts'

type Statements = Pick<Postgres, 'all' | 'run'>

/** A released step never changes. */
const steps: readonly string[] = [createSharedTables]

export const sharedVersion = steps.length

/** The table that says which tables the database has. The id differs for each journal. */
const versionTable = 'CREATE TABLE orderctl_journal (version BIGINT NOT NULL, id TEXT NOT NULL)'

/** The names of all tables. */
export const sharedTables: readonly string[] = [...steps, versionTable].flatMap((step) =>
  [...step.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name),
)

export type SharedState = {
  readonly version: number
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

const undefinedTable = '42P01'

/** Undefined if the database has no journal. `notes`: the newest calls that this machine has seen. */
export const readSharedState = async (
  { all }: Statements,
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
    return row === undefined ? undefined : toState(row)
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}

const toState = ({ version, id, fsync, is_standby, now, ...row }: Row): SharedState => ({
  version: Number(version),
  id: String(id),
  isDurable: fsync === 'on',
  isStandby: Boolean(is_standby),
  now: Number(now),
  ...(row.call_id === null
    ? {}
    : { newest: { call: Number(row.call), id: String(row.call_id), startedAt: Number(row.started_at) } }),
  hasSeen: Boolean(row.has_seen),
})

const isMissingTable = (error: unknown): boolean => isServerError(error) && error.code === undefinedTable

/** Runs the steps that the database does not have yet: all of them, or none. Returns the version before. */
export const migrateShared = ({ transaction }: Postgres, place: string): Promise<number> =>
  transaction(async (statements) => {
    await checkServer(statements, place)
    // Held until the end of the transaction. The number only has to differ from those of other programs.
    await statements.run("SELECT pg_advisory_xact_lock(hashtext('orderctl journal'))")
    const version = await readVersion(statements, place)
    if (version > sharedVersion) throw createNewerFailure(place, version)
    if (version === sharedVersion) return version
    if (version > 0) await refuseOtherRoles(statements, place)
    for (const step of steps.slice(version)) {
      for (const statement of splitStatements(step)) await statements.run(statement)
    }
    if (version === 0) {
      await statements.run(versionTable)
      await statements.run('INSERT INTO orderctl_journal (version, id) VALUES ($version, $id)', {
        version: sharedVersion,
        id: randomUUID(),
      })
    } else {
      await statements.run('UPDATE orderctl_journal SET version = $version', { version: sharedVersion })
    }
    return version
  })

/** 0 for an empty database. A failed statement would end the transaction, so it asks the catalogue first. */
const readVersion = async ({ all }: Statements, place: string): Promise<number> => {
  const [found] = await all(`SELECT to_regclass('orderctl_journal') IS NOT NULL AS is_journal,
    (SELECT min(relnamespace::regnamespace::text) FROM pg_class
     WHERE relname = 'orderctl_journal' AND relkind = 'r' AND relpersistence <> 't') AS schema,
    (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS tables`)
  if (found?.is_journal) {
    const [row] = await all('SELECT version FROM orderctl_journal')
    return Number(row?.version)
  }
  if (found?.schema != null) throw createHiddenFailure(place, String(found.schema))
  if (Number(found?.tables) === 0) return 0
  throw createForeignFailure(place)
}

/** A second journal of the same database would not know the orders of the first one. */
const createHiddenFailure = (place: string, schema: string): Failure =>
  new Failure(
    'local-state',
    `${place} has its journal in the schema ${schema}, which is not in the search_path of this role`,
    { fix: `Type into psql: ALTER ROLE … SET search_path = ${schema}. Nothing was changed.` },
  )

export const createForeignFailure = (place: string): Failure =>
  new Failure('local-state', `${place} has tables of another program`, {
    fix: 'Create an empty database for the journal. Nothing was changed.',
  })

export const createNewerFailure = (place: string, version: number): Failure =>
  new Failure(
    'local-state',
    `the journal ${place} was written by a newer orderctl (schema ${version}, expected ${sharedVersion})`,
    { fix: 'Update orderctl. The journal was left untouched.' },
  )

/** A semicolon at the end of a line ends a statement, except between two `$$`. */
const splitStatements = (script: string): string[] => {
  const statements: string[] = []
  let statement = ''
  for (const line of script.split('\n')) {
    statement += `${line}\n`
    const isInBody = statement.split('$$').length % 2 === 0
    if (!line.endsWith(';') || isInBody) continue
    statements.push(statement.trim().slice(0, -1))
    statement = ''
  }
  return statements
}
