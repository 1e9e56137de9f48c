// Opens a team's shared journal in PostgreSQL and creates its tables. Triggers refuse, even with psql, what the limits of the
// connection's role forbid; budgets of a role have no trigger: only the guard of a confirm checks them. Gives the roles of a
// team the permissions that orderctl needs, and no more.

import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Failure } from '../errors.ts'
import { isServerError } from '../postgres/failure.ts'
import { checkServer, openPostgres, type Postgres, type PostgresOptions } from '../postgres/open.ts'
import { matchAccounts } from './accounts.ts'
import type { Database, Dialect } from './database/database.ts'
import { createJournal, type JournalOptions } from './file-journal.ts'
import type { Journal } from './journal.ts'
import {
  compareWithMachine,
  type Notes,
  readNotes,
  refuseNewJournal,
  type Seen,
} from './machine/newest-call.ts'
import { type OutboxOptions, openOutbox } from './machine/outbox.ts'
import { createTablesSql, tables, versions } from './tables/list.ts'

/** SQL: the time in milliseconds. */
const postgresNow = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'

const dialect: Dialect = {
  name: 'postgres',
  indexedBy: () => '',
  orderedJoin: 'JOIN',
  // Does not wait for transactions that only refer to the row by a foreign key.
  forUpdateOf: (table) => `FOR NO KEY UPDATE OF ${table}`,
  readList: (parameter) => `json_array_elements(CAST(${parameter} AS JSON))`,
  now: postgresNow,
  // Not current_user, which SET ROLE changes.
  role: 'CAST(session_user AS TEXT)',
  writtenBy: 'written_by',
}

export const createPostgresDatabase = ({ all, transaction, close }: Postgres): Database => ({
  dialect,
  all,
  transaction: (work) => transaction((statements) => work({ ...statements, dialect })),
  close,
})

type RoleRefusal = {
  readonly table: string
  readonly events: string
  /** Which rows the trigger checks. */
  readonly rows?: string
  /** The table of the order or batch that the row concerns, and its number there. */
  readonly subject: 'orders' | 'batches'
  readonly number: string
  /** Which limits of the role forbid the row. */
  readonly when: string
}

/** SET ROLE changes current_user, but not session_user. */
const refuse = ({ table, events, rows, subject, number, when }: RoleRefusal): string[] => {
  const name = `${table}_within_limits`
  const condition = rows === undefined ? '' : ` WHEN (${rows})`
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
         forbidding text;
       BEGIN
         -- Until the function ends. Temporary tables come last, so that they replace none.
         PERFORM set_config('search_path', concat('pg_catalog, ', quote_ident(TG_TABLE_SCHEMA), ', pg_temp'), true);
         SELECT kind INTO forbidding FROM ${subject} AS subject
           JOIN accounts AS own ON own.number = subject.account
           JOIN accounts AS other ON ${matchAccounts('other', 'own')}
           JOIN limits ON limits.account = other.number AND for_role = session_user::text
         WHERE subject.number = ${number} AND (${when}) LIMIT 1;
         IF FOUND THEN
           RAISE EXCEPTION 'the limit % of the role % forbids this', forbidding, session_user;
         END IF;
         RETURN NULL;
       END $$`,
    `CREATE TRIGGER ${name} AFTER ${events} ON ${table} FOR EACH ROW${condition} EXECUTE FUNCTION ${name}()`,
  ]
}

// An order without an amount exceeds every limit.
const total = `(SELECT CASE WHEN bool_and(counts IS NOT NULL) THEN sum(counts) ELSE 1e30 END FROM orders
  WHERE number = subject.number OR batch = subject.batch AND committed)`

const approvals = `SELECT FROM batches JOIN approvals ON batch = batches.number AND plan_id = batches.id
  WHERE batches.number = subject.batch AND until > ${postgresNow}`

/** The limits that forbid to confirm an order. For approvals, as isApproved decides. */
const whenConfirmed = `kind = 'prepare-only' OR kind = 'approval' AND currency = subject.wallet
  AND greatest(${total}, (SELECT max_total::numeric * 1000000 FROM batches WHERE number = subject.batch))
    > amount::numeric * 1000000
  AND NOT EXISTS (${approvals} AND cap::numeric * 1000000 >= ${total})`

const roleLimitsSql = [
  ...refuse({
    ...{ table: 'calls', events: 'INSERT', rows: "NEW.operation = 'confirm'" },
    ...{ subject: 'orders', number: 'NEW.order_number', when: whenConfirmed },
  }),
  ...refuse({
    ...{ table: 'orders', events: 'INSERT OR UPDATE OF standing', rows: "NEW.standing = 'confirming'" },
    ...{ subject: 'orders', number: 'NEW.number', when: whenConfirmed },
  }),
  // A limited role must not approve a colleague's plan and run it.
  ...refuse({
    ...{ table: 'approvals', events: 'INSERT', subject: 'batches', number: 'NEW.batch' },
    when: "kind IN ('approval', 'prepare-only') AND currency IN (subject.wallet, '')",
  }),
]

export const createSharedSql = (): string[] => [...createTablesSql('postgres'), ...roleLimitsSql]

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
    const saved = { journal: state.id, address: name }
    const canKeep = here && outbox && notes?.unreadable === undefined
    const kept = canKeep
      ? await openOutbox(database, saved, { ...outbox, machine: here.machine })
      : { database }
    const compared = here && notes && (await compareWithMachine(here, notes, state))
    const marksFolder = here && path.dirname(here.machine.file)
    return createJournal({ name, onDamage, identify, marksFolder, ...kept, ...compared })
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
export const grantAccess = ({ transaction }: Postgres, grantees: readonly Grantee[]): Promise<void> =>
  transaction(async ({ all, run }) => {
    await refuseOtherRoles({ all })
    const [names] = await all('SELECT current_database()::text AS database, current_schema()::text AS schema')
    const { database, schema } = names as { database: string; schema: string }
    for (const { role, changesLimits = false } of grantees) {
      const to = `TO ${quote(role)}`
      // The owner of the tables may own neither the database nor the schema. Then this is only a warning of the server.
      await run(`GRANT CONNECT ON DATABASE ${quote(database)} ${to}`)
      await run(`GRANT USAGE ON SCHEMA ${quote(schema)} ${to}`)
      for (const { name, grant, grantToChangeLimits = grant } of tables) {
        const permissions = changesLimits ? grantToChangeLimits : grant
        await run(`GRANT ${permissions} ON ${quote(schema)}.${quote(name)} ${to}`)
      }
    }
  })

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A member of the owning role counts as the owner. The server only warns other roles that they have granted nothing. */
const refuseOtherRoles = async ({ all }: Pick<Postgres, 'all'>): Promise<void> => {
  const [found] = await all(
    `SELECT pg_get_userbyid(relowner)::text AS owner, pg_has_role(current_user, relowner, 'USAGE') AS is_owner
     FROM pg_class WHERE oid = to_regclass('orderctl_journal')`,
  )
  if (found?.is_owner) return
  const problem = `only the role ${found?.owner}, which owns the tables, may use --grant; nothing was changed`
  throw new Failure('local-state', problem, { advice: 'Use that role in the address of the journal.' })
}
