// What the journal is asked: one order, or a page of them, newest first.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Call, type Entry, fromRow, type Owner, ownStandings } from './entry.ts'
import { isHolding, isUnfinished } from './schema.ts'

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

export const readingOf = (database: DatabaseSync) => {
  const all = -1
  const entries = (
    where: string,
    values: Record<string, SQLInputValue>,
    limit = 1,
    index?: string,
    order = 'number DESC',
  ): Entry[] =>
    database
      .prepare(
        `SELECT * FROM orders ${index === undefined ? '' : `INDEXED BY ${index}`}
         WHERE ${where} ORDER BY ${order} LIMIT ${limit}`,
      )
      .all(values)
      .map((row) => fromRow<Entry>(row))

  const owned = 'profile = $profile AND origin = $origin'
  /** A profile of one name is one account, wherever it is now; what the environment names is its address. */
  const ofAccount = ({ isNamed }: Owner): string => (isNamed === true ? 'profile = $profile' : owned)
  const valuesOf = ({ profile, origin, isNamed }: Owner) =>
    isNamed === true ? { profile } : { profile, origin }

  return {
    numbered: (number: number): Entry | undefined => entries('number = $number', { number })[0],

    find: ({ profile, origin }: Owner, orderId: string): Entry | undefined =>
      entries(`order_id = $orderId AND ${owned}`, { orderId, profile, origin })[0],

    /** More than one where the service has given an id again. */
    withId: ({ profile, origin }: Owner, orderId: string): Entry[] =>
      entries(`order_id = $orderId AND ${owned}`, { orderId, profile, origin }, all),

    /** Whoever's it is. */
    findAnywhere: (orderId: string): Entry | undefined => entries('order_id = $orderId', { orderId })[0],

    /** The newest that was placed from here, whatever came of it. */
    last: ({ profile, origin }: Owner): Entry | undefined =>
      entries(`${owned} AND request IS NOT NULL`, { profile, origin })[0],

    byReference: ({ profile, origin }: Owner, reference: string): Entry[] =>
      entries(
        `reference = $reference AND ${owned} AND standing NOT IN ('refused', 'not-sent')`,
        { reference, profile, origin },
        all,
      ),

    /** The order that a reference stands for, as far as it is not known to have come to nothing. */
    holderOf: (owner: Owner, reference: string): Entry | undefined =>
      entries(`reference = $reference AND ${ofAccount(owner)} AND ${isHolding}`, {
        reference,
        ...valuesOf(owner),
      })[0],

    /** Another that took its reference after it, not knowing of it, or taking it for dead. */
    laterHolder: (owner: Owner, { number, reference = '' }: Entry): Entry | undefined =>
      entries(
        `reference = $reference AND ${ofAccount(owner)} AND ${isHolding} AND number > $number AND NOT duplicate`,
        { reference, number, ...valuesOf(owner) },
      )[0],

    unfinished: ({ profile, origin }: Owner): Entry[] =>
      entries(`${owned} AND ${isUnfinished}`, { profile, origin }, all, 'unfinished_by_account'),

    /** Of other accounts, those whose outcome may be money. */
    unknownElsewhere: ({ profile, origin }: Owner): (Owner & { count: number })[] =>
      database
        .prepare(
          `SELECT profile, origin, count(*) AS count FROM orders
           WHERE standing = '${ownStandings.unknown}' AND NOT (${owned})
           GROUP BY profile, origin ORDER BY profile, origin`,
        )
        .all({ profile, origin })
        .map((row) => fromRow<Owner & { count: number }>(row)),

    list: ({ limit, profile, standing, reference, since, unfinished }: Filter): Entry[] => {
      const conditions: [string, SQLInputValue][] = []
      if (profile !== undefined) conditions.push(['profile = $profile', profile])
      if (standing !== undefined) conditions.push(['standing = $standing', standing])
      if (reference !== undefined) conditions.push(['reference = $reference', reference])
      if (since !== undefined) conditions.push(['placed_at >= $since', since])
      const words = [...conditions.map(([words]) => words), ...(unfinished ? [isUnfinished] : [])]
      const values = conditions.map(([words, value]) => [/\$(\w+)/.exec(words)?.[1] ?? '', value] as const)
      const index = unfinished
        ? profile === undefined
          ? 'unfinished_by_time'
          : 'unfinished_by_profile'
        : undefined
      return entries(
        words.length === 0 ? 'true' : words.join(' AND '),
        Object.fromEntries(values),
        limit,
        index,
        'placed_at DESC, number DESC',
      )
    },

    callsOf: (order: number): Call[] =>
      database
        .prepare('SELECT * FROM calls WHERE order_number = ? ORDER BY number')
        .all(order)
        .map((row) => fromRow<Call>(row)),

    /** The state in which an order from here was seen last before it was first confirmed: whatever its name, pending. */
    stateBefore: (order: number): string | undefined =>
      database
        .prepare(
          `SELECT state FROM states JOIN orders ON number = order_number
           WHERE order_number = $order AND request IS NOT NULL AND at <= coalesce(
             (SELECT min(started_at) FROM calls WHERE order_number = $order AND operation = 'confirm'), at)
           ORDER BY at DESC LIMIT 1`,
        )
        .get({ order })?.state as string | undefined,
  }
}
