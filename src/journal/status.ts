// For `doctor` and `journal status`: describes and checks a journal without changing it, and compares the standings of orders
// with what their calls and columns give. A script with SQL may have changed one, and the owner of the tables can also write
// the columns that follow from a standing. Also copies the journal's files while other commands use them.

import { statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Postgres } from '../postgres/open.ts'
import { createFileRefusal, openForReading, readUntouched, type Schema } from '../sqlite/open.ts'
import type { Row } from './database/database.ts'
import { findConflict, type Here, readNotes, readSeen } from './machine/newest-call.ts'
import { findStanding } from './orders/apply.ts'
import { type Call, type Damage, type Entry, fromRow } from './orders/entries.ts'
import { orderConditions } from './orders/standings.ts'
import { createSharedSql, readSharedState } from './shared-journal.ts'
import { schema } from './tables/list.ts'
import { calls as callTable } from './tables/orders.ts'

/** How many of the newest orders are checked, besides those that are not finished. */
const sampledOrders = 1_000

const numbers = `SELECT number FROM (SELECT number FROM orders WHERE NOT finished
  UNION SELECT number FROM orders WHERE number > (SELECT max(number) FROM orders) - ${sampledOrders}) AS checked
  ORDER BY number DESC LIMIT 10000`
const changes = Object.entries(orderConditions).map(([name, sql]) => `${name} IS DISTINCT FROM (${sql})`)
const checkedOrders = `SELECT *, ${changes.join(' OR ')} AS is_changed FROM orders WHERE number IN (${numbers}) ORDER BY number`
const checkedCalls = `SELECT * FROM calls WHERE order_number IN (${numbers}) ORDER BY number`

/** A message for each difference. */
const findWrongStandings = (orders: readonly Row[], calls: readonly Row[]): string[] => {
  const callsOf = Map.groupBy(
    calls.map((row) => fromRow<Call>(row, callTable)),
    ({ orderNumber }) => orderNumber,
  )
  return orders.flatMap((row) => {
    const entry = fromRow<Entry & Damage>(row)
    const { number, orderId, standing, damage = [] } = entry
    const name = orderId === undefined ? `order without an id (entry ${number})` : `order ${orderId}`
    if (damage.includes('standing')) return [`the standing of the ${name} cannot be read`]
    if (Number(row.is_changed) === 1) return [`the ${name} has columns that contradict its standing`]
    const derived = findStanding({ entry, calls: callsOf.get(number) ?? [] })
    return derived === standing
      ? []
      : [`the ${name} is recorded as ${standing}, but its history says ${derived}`]
  })
}

/** Where orderctl's tables are. The schema of a role's own name may come before it. */
const schemaQuery = "(SELECT relnamespace FROM pg_class WHERE oid = 'orderctl_journal'::regclass)"

const maxDamage = 3

/**
 * Throws if the file is no journal of this version, is damaged, or may not be sent with. Undefined if a crash left a log
 * that a command must first write into it.
 */
export const readFileStatus = (file: string, here: Here) =>
  readUntouched(file, schema, (database) => {
    // All statements read the same moment.
    database.exec('BEGIN')
    const bytes = measure(file) + measure(`${file}-wal`)
    const damage = [...findSchemaChanges(database), ...checkPages(database)]
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
      wrong: findWrongStandings(database.prepare(checkedOrders).all(), database.prepare(checkedCalls).all()),
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

/** Without the indexes of constraints, what belongs to an extension, and views' own rules. */
const sharedObjectsQuery = `SELECT objects.object FROM (
    SELECT oid, CASE relkind WHEN 'i' THEN 'index' WHEN 'v' THEN 'view' ELSE 'table' END || ' ' || relname AS object
      FROM pg_class WHERE relnamespace = ${schemaQuery} AND relkind IN ('r', 'p', 'f', 'v', 'm', 'i')
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = pg_class.oid)
    UNION ALL SELECT oid, 'function ' || proname FROM pg_proc WHERE pronamespace = ${schemaQuery}
    UNION ALL SELECT pg_trigger.oid, 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND relnamespace = ${schemaQuery}
    UNION ALL SELECT pg_rewrite.oid, 'rule ' || rulename FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
      WHERE rulename <> '_RETURN' AND relnamespace = ${schemaQuery}
    UNION ALL SELECT pg_policy.oid, 'policy ' || polname FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
      WHERE relnamespace = ${schemaQuery}
  ) AS objects
  WHERE NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = objects.oid AND deptype = 'e')`

/** By their names: which objects are not orderctl's, and which are missing. A trigger may be switched off. */
const findSharedChanges = async ({ all }: Pick<Postgres, 'all'>) => {
  const found = new Set((await all(sharedObjectsQuery)).map(({ object }) => String(object)))
  const ours = new Set(
    createSharedSql().flatMap((sql) => {
      const [, kind, name] = /^CREATE (?:UNIQUE )?(TABLE|INDEX|FUNCTION|TRIGGER) (\w+)/.exec(sql) ?? []
      return kind === undefined ? [] : [`${kind.toLowerCase()} ${name}`]
    }),
  )
  return {
    others: [...found.difference(ours)].map((each) => `the ${each} is not orderctl's`).slice(0, maxDamage),
    missing: [...ours.difference(found)]
      .map((each) => `the ${each} was removed or switched off`)
      .slice(0, maxDamage),
  }
}

/** The statements read different moments, so only what is found twice is wrong. */
const findWrongShared = async ({ all }: Pick<Postgres, 'all'>): Promise<string[]> => {
  const find = async () => findWrongStandings(await all(checkedOrders), await all(checkedCalls))
  const wrong = await find()
  if (wrong.length === 0) return []
  const again = await find()
  return wrong.filter((each) => again.includes(each))
}

const measure = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const checkPages = (database: DatabaseSync): string[] =>
  database
    .prepare(`PRAGMA quick_check(${maxDamage})`)
    .all()
    .map(({ quick_check: text }) => String(text))
    .filter((text) => text !== 'ok')

const tablesQuery = `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM batches) AS batches,
  has_table_privilege('orders', 'INSERT') AND has_table_privilege('calls', 'INSERT') AS can_write,
  (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
   WHERE relkind = 'r' AND relnamespace = ${schemaQuery}) AS bytes`

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
    ...(await findSharedChanges({ all })),
    wrong: await findWrongShared({ all }),
    ...{ orders: Number(orders), batches: Number(batches), bytes: Number(bytes) },
    canWrite: Boolean(can_write),
    users: (await all(usersQuery)).map(({ role, os_user: user, host, last_order: at }) => ({
      ...{ role: role === null ? null : String(role), user: String(user), host: String(host) },
      lastOrderAt: at === null ? null : Number(at),
    })),
  }
}

/** In one step, because SQLite starts again if a different process writes between two steps. */
const allPages = 2 ** 31 - 1

/** `target` is an empty file. */
export const copyDatabase = async (file: string, schema: Schema, target: string): Promise<void> => {
  using source = openForReading(file, schema)
  await backup(source, target, { rate: allPages })
}
