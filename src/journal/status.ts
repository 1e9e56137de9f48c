// Describes and checks a journal for `doctor` and `journal status`. Changes nothing.
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Postgres } from '../postgres/open.ts'
import { createFileRefusal } from '../sqlite/failure.ts'
import { readUntouched } from '../sqlite/open.ts'
import { findConflict, type Here, readNotes, readSeen } from './machine/newest-call.ts'
import { readSharedState } from './shared/shared-journal.ts'
import { schema } from './tables/list.ts'

/** quick_check reads every page, so its time grows with the file. */
const wholeLimitBytes = 64 * 1024 ** 2
export const newestRows = 10_000
const maxDamage = 3

/**
 * Throws if the file is no journal of this version, is damaged, or may not be sent with. Undefined if a crash left a log
 * that a command must first write into it.
 */
export const readFileStatus = (
  file: string,
  { isWhole: isAskedFor, here }: { readonly isWhole: boolean; readonly here: Here },
) =>
  readUntouched(file, schema, (database) => {
    const bytes = measure(file) + measure(`${file}-wal`)
    const isWhole = isAskedFor || bytes <= wholeLimitBytes
    const damage = [
      ...findSchemaChanges(database),
      ...(isWhole ? checkWhole(database) : readNewest(database)),
    ]
    if (damage.length > 0) throw createFileRefusal(`is damaged: ${damage.join('; ')}`, file, schema)
    const notes = readNotes(here)
    const conflict = findConflict(here, notes, readSeen(database, notes))
    if (conflict !== undefined) throw conflict
    const count = (table: 'orders' | 'batches'): number =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
    return {
      orders: count('orders'),
      batches: count('batches'),
      bytes,
      /** Whether every page was checked, or only the newest rows. */
      isWhole,
    }
  })

/** Tables, indexes, triggers and views. The names that begin with sqlite_ are SQLite's own. */
const objectsQuery = `SELECT type || ' ' || name AS object, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'`

/** What differs from a new journal. */
const findSchemaChanges = (database: DatabaseSync): string[] => {
  using created = new DatabaseSync(':memory:')
  created.exec(schema.createSql())
  const read = (from: DatabaseSync) =>
    new Map(
      from
        .prepare(objectsQuery)
        .all()
        .map(({ object, sql }) => [object, sql]),
    )
  const [ours, found] = [read(created), read(database)]
  return [
    ...[...found.keys()].filter((each) => !ours.has(each)).map((each) => `the ${each} is not orderctl's`),
    ...[...ours]
      .filter(([each, sql]) => found.get(each) !== sql)
      .map(([each]) => `the ${each} was changed or removed`),
  ].slice(0, maxDamage)
}

const measure = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const checkWhole = (database: DatabaseSync): string[] =>
  database
    .prepare(`PRAGMA quick_check(${maxDamage})`)
    .all()
    .map(({ quick_check: text }) => String(text))
    .filter((text) => text !== 'ok')

/** A damaged page throws. SQLite itself refuses a file that was cut off. */
const readNewest = (database: DatabaseSync): never[] => {
  for (const table of ['orders', 'calls']) {
    const rows = database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT ${newestRows}`).iterate()
    for (const _ of rows);
  }
  return []
}

const tablesQuery = `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM batches) AS batches,
  has_table_privilege('orders', 'INSERT') AND has_table_privilege('calls', 'INSERT') AS can_write,
  (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
   WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS bytes`

const usersQuery = `SELECT role, os_user, host,
  (SELECT max(placed_at) FROM orders WHERE actor = actors.number) AS last_order
  FROM actors ORDER BY last_order DESC NULLS LAST, role, os_user, host LIMIT 100`

/** Throws if the database contains tables of a different program or version, or may not be sent with. */
export const readSharedStatus = async (postgres: Postgres, name: string, here: Here | undefined) => {
  const [server] = await postgres.all('SELECT session_user::text AS role')
  const notes = here && readNotes(here)
  const state = await readSharedState(postgres, name, notes)
  const conflict = here && notes && findConflict(here, notes, state)
  if (conflict !== undefined) throw conflict
  return {
    role: String(server?.role),
    /** Undefined if the tables are missing. */
    tables: state === undefined ? undefined : { ...(await readTables(postgres)), now: state.now },
  }
}

const readTables = async ({ all }: Postgres) => {
  const [{ orders, batches, bytes, can_write } = {}] = await all(tablesQuery)
  return {
    ...{ orders: Number(orders), batches: Number(batches), bytes: Number(bytes) },
    canWrite: Boolean(can_write),
    users: (await all(usersQuery)).map(({ role, os_user: user, host, last_order: at }) => ({
      ...{ role: role === null ? null : String(role), user: String(user), host: String(host) },
      lastOrderAt: at === null ? null : Number(at),
    })),
  }
}
