// Opens a team's shared journal in PostgreSQL and creates its tables.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { nameDatabase } from '../../postgres/address.ts'
import { isServerError } from '../../postgres/failure.ts'
import { checkServer, openPostgres, type Postgres, type PostgresOptions } from '../../postgres/open.ts'
import { createPostgresDatabase, postgresNow } from '../database/postgres.ts'
import type { Journal } from '../journal.ts'
import { type OutboxOptions, openOutbox } from '../machine/keep-outcomes.ts'
import {
  compareWithMachine,
  type Notes,
  readNotes,
  refuseNewJournal,
  type Seen,
} from '../machine/newest-call.ts'
import { createJournal, type JournalOptions } from '../open-journal.ts'
import { versions } from '../tables/list.ts'
import { createSharedSql } from './role-limits.ts'

export type SharedOptions = PostgresOptions &
  JournalOptions & {
    /** Called with the database's time. */
    readonly onTime?: (ms: number) => void
    /** The place for an outcome that the journal cannot record. */
    readonly outbox?: Omit<OutboxOptions, 'machine'> | undefined
  }

/** Creates the tables in an empty database. Throws if the journal cannot be used safely. */
export const openSharedJournal = async (options: SharedOptions): Promise<Journal> => {
  const { address, noted, outbox, onTime, onDamage, identify } = options
  const name = address.text
  const here = noted && { ...noted, name, place: name }
  const postgres = openPostgres(options)
  const database = createPostgresDatabase(postgres)
  try {
    const notes = here && readNotes(here)
    let state = await readSharedState(postgres, name, notes)
    if (state === undefined) {
      if (here && notes) refuseNewJournal(here, notes)
      await createSharedTables(postgres, name)
      state = await readSharedState(postgres, name, notes)
    }
    if (state === undefined) throw new Error('the journal was not created')
    if (!state.isSafe) await checkServer(postgres, name)
    onTime?.(state.now)
    const saved = { journal: state.id, address: name, database: nameDatabase(address) }
    const canKeep = here && outbox && notes?.unreadable === undefined
    const kept = canKeep
      ? await openOutbox(database, saved, { ...outbox, machine: here.machine })
      : { database }
    const compared = here && notes && (await compareWithMachine(here, notes, state))
    return createJournal({ name, onDamage, identify, ...kept, ...compared })
  } catch (error) {
    await postgres.close()
    throw error
  }
}

type SharedState = Seen & {
  /** False if the server is a standby, or does not wait for its disk. */
  readonly isSafe: boolean
  /** The database's time. */
  readonly now: number
}

/**
 * Undefined if the database contains no journal. Throws if its tables have a different version. `name` is the address
 * of the journal.
 */
export const readSharedState = async (
  { all }: Pick<Postgres, 'all'>,
  name: string,
  notes: Notes | undefined,
): Promise<SharedState | undefined> => {
  const calls = notes?.journals.map(({ id, newest }) => [id, newest.id]) ?? []
  try {
    const [row] = await all(
      `SELECT version, orderctl_journal.id, current_setting('fsync') = 'on' AND NOT pg_is_in_recovery() AS is_safe,
         ${postgresNow} AS now, newest.number AS call, newest.id AS call_id, newest.started_at,
         CAST($calls AS JSONB) ->> orderctl_journal.id IS NULL
           OR EXISTS (SELECT 1 FROM calls WHERE calls.id = CAST($calls AS JSONB) ->> orderctl_journal.id) AS has_newest
       FROM orderctl_journal
         LEFT JOIN (SELECT number, id, started_at FROM calls ORDER BY number DESC LIMIT 1) AS newest ON true`,
      { calls: JSON.stringify(Object.fromEntries(calls)) },
    )
    if (row === undefined) return undefined
    refuseOtherVersion(name, row.version)
    const newest = { call: Number(row.call), id: String(row.call_id), startedAt: Number(row.started_at) }
    return {
      id: String(row.id),
      isSafe: Boolean(row.is_safe),
      now: Number(row.now),
      newest: row.call === null ? undefined : newest,
      hasNewest: Boolean(row.has_newest),
    }
  } catch (error) {
    // undefined_table, and undefined_column: tables of a different version may lack either.
    if (!isServerError(error) || !['42P01', '42703'].includes(error.code)) throw error
    await hasSharedTables({ all }, name)
    return undefined
  }
}

const refuseOtherVersion = (name: string, found: unknown): void => {
  const expected = versions.postgres
  if (Number(found) === expected) return
  throw new Failure(
    'other-version',
    `the journal ${name} was written by a different version of orderctl (schema ${found}, expected ${expected})`,
    {
      advice:
        'It was left untouched. Use the version of orderctl that created it, on all machines. A new journal needs an empty database.',
    },
  )
}

/** Creates all tables in an empty database, or none. Returns false if the journal exists. */
export const createSharedTables = ({ transaction }: Postgres, name: string): Promise<boolean> =>
  transaction(async (statements) => {
    await checkServer(statements, name)
    // Held until the transaction ends. The number only has to differ from other programs' numbers.
    await statements.run("SELECT pg_advisory_xact_lock(hashtext('orderctl journal'))")
    if (await hasSharedTables(statements, name)) return false
    for (const sql of createSharedSql()) await statements.run(sql)
    await statements.run('INSERT INTO orderctl_journal (version, id) VALUES ($version, $id)', {
      version: versions.postgres,
      id: randomUUID(),
    })
    return true
  })

/**
 * Throws if the tables have a different version. A failed statement would end the transaction, so it asks the
 * catalogue.
 */
const hasSharedTables = async ({ all }: Pick<Postgres, 'all'>, name: string): Promise<boolean> => {
  const [found] = await all(`SELECT to_regclass('orderctl_journal') IS NOT NULL AS is_journal,
    (SELECT min(relnamespace::regnamespace::text) FROM pg_class
     WHERE relname = 'orderctl_journal' AND relkind = 'r' AND relpersistence <> 't') AS schema,
    (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS tables`)
  if (found?.is_journal) {
    const [row] = await all('SELECT version FROM orderctl_journal')
    refuseOtherVersion(name, row?.version)
    return true
  }
  const refuse = (what: string, advice: string): Failure =>
    new Failure('local-state', `${name} contains ${what}`, { advice: `${advice} Nothing was changed.` })
  // A second journal in the same database would not know the first journal's orders.
  if (found?.schema != null)
    throw refuse(
      `a journal in the schema ${found.schema}, which is not in the search_path of this role`,
      `Type into psql: ALTER ROLE … SET search_path = ${found.schema}.`,
    )
  if (Number(found?.tables) === 0) return false
  throw refuse('tables of a different program', 'Create an empty database for the journal.')
}
