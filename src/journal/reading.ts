// What the journal is asked: one order, or a page of them, newest first.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Call, type Entry, fromRow, type Owner, ownStandings } from './entry.ts'

export type Filter = {
  readonly profile?: string | undefined
  readonly standing?: string | undefined
  readonly reference?: string | undefined
  /** Placed at or after this moment. */
  readonly since?: number | undefined
  /** Something may come of them yet. */
  readonly unfinished?: boolean | undefined
  readonly limit: number
}

export type Reading = ReturnType<typeof readingOf>

// As the index has it, for SQLite to take it.
const unfinished = `standing NOT IN
  ('successful', 'partial', 'failed', 'rejected', 'refused', 'not-sent', 'lapsed')`
const holding = `standing NOT IN ('failed', 'rejected', 'refused', 'not-sent', 'lapsed')`

export const readingOf = (database: DatabaseSync) => {
  const entries = (
    where: string,
    values: readonly SQLInputValue[] | Record<string, SQLInputValue>,
    limit = 1,
    order = 'number DESC',
  ): Entry[] => {
    const statement = database.prepare(`SELECT * FROM orders WHERE ${where} ORDER BY ${order} LIMIT ${limit}`)
    const rows = Array.isArray(values)
      ? statement.all(...values)
      : statement.all(values as Record<string, SQLInputValue>)
    return rows.map((row) => fromRow<Entry>(row))
  }
  const owned = 'profile = $profile AND origin = $origin'
  return {
    numbered: (number: number): Entry | undefined => entries('number = $number', { number })[0],

    find: ({ profile, origin }: Owner, orderId: string): Entry | undefined =>
      entries(`order_id = $orderId AND ${owned}`, { orderId, profile, origin })[0],

    /** Whoever's it is. */
    findAnywhere: (orderId: string): Entry | undefined => entries('order_id = $orderId', { orderId })[0],

    /** The newest that may have reached the service, whether or not its id is known. */
    last: ({ profile, origin }: Owner): Entry | undefined =>
      entries(`${owned} AND standing NOT IN ('refused', 'not-sent')`, { profile, origin })[0],

    byReference: ({ profile, origin }: Owner, reference: string): Entry[] =>
      entries(
        `reference = $reference AND ${owned} AND standing NOT IN ('refused', 'not-sent')`,
        { reference, profile, origin },
        100,
      ),

    /** The order that a reference stands for, as far as it is not known to have come to nothing. */
    holderOf: ({ profile, origin }: Owner, reference: string): Entry | undefined =>
      entries(`reference = $reference AND ${owned} AND ${holding}`, { reference, profile, origin })[0],

    unfinished: ({ profile, origin }: Owner): Entry[] =>
      entries(`${owned} AND ${unfinished}`, { profile, origin }, -1),

    /** How many of other accounts are unknown: their outcome may be money. */
    unknownElsewhere: ({ profile, origin }: Owner): { profile: string; count: number }[] =>
      database
        .prepare(
          `SELECT profile, count(*) AS count FROM orders
           WHERE standing = '${ownStandings.unknown}' AND NOT (${owned}) GROUP BY profile ORDER BY profile`,
        )
        .all({ profile, origin }) as { profile: string; count: number }[],

    list: ({ limit, profile, standing, reference, since, unfinished: open }: Filter): Entry[] => {
      const conditions: [string, SQLInputValue][] = []
      if (profile !== undefined) conditions.push(['profile = ?', profile])
      if (standing !== undefined) conditions.push(['standing = ?', standing])
      if (reference !== undefined) conditions.push(['reference = ?', reference])
      if (since !== undefined) conditions.push(['placed_at >= ?', since])
      const words = [...conditions.map(([words]) => words), ...(open ? [unfinished] : [])]
      return entries(
        words.length === 0 ? 'true' : words.join(' AND '),
        conditions.map(([, value]) => value),
        limit,
        'placed_at DESC, number DESC',
      )
    },

    callsOf: (order: number): Call[] =>
      database
        .prepare('SELECT * FROM calls WHERE order_number = ? ORDER BY number')
        .all(order)
        .map((row) => fromRow<Call>(row)),

    statesOf: (order: number): { state: string; at: number }[] =>
      database.prepare('SELECT state, at FROM states WHERE order_number = ? ORDER BY at').all(order) as {
        state: string
        at: number
      }[],
  }
}
