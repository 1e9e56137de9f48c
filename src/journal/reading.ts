// Queries: one order, or a page of orders, newest first.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { AccountId } from '../contract/account-id.ts'
import { foldReference, isSameReference } from '../contract/reference.ts'
import type { Accounts } from './accounts.ts'
import { type Call, type Entry, isUnproven, isVoid, type Owner, ownStandings } from './entry.ts'
import { fromRow } from './row.ts'
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

export const readingOf = (database: DatabaseSync, accounts: Accounts) => {
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

  const callsOf = (order: number): Call[] =>
    database
      .prepare('SELECT * FROM calls WHERE order_number = ? ORDER BY number')
      .all(order)
      .map((row) => fromRow<Call>(row))

  /** Every order of that reference, also those that came to nothing. */
  const withReference = (account: AccountId, reference: string): Entry[] =>
    entries(
      `reference_fold = $fold AND ${accounts.condition(account)}`,
      { fold: foldReference(reference) },
      all,
    ).filter((entry) => isSameReference(entry.reference ?? '', reference))

  return {
    callsOf,
    withReference,
    accountOf: accounts.idOf,

    numbered: (number: number): Entry | undefined => entries('number = $number', { number })[0],

    find: ({ account }: Pick<Owner, 'account'>, orderId: string): Entry | undefined =>
      entries(`order_id = $orderId AND ${accounts.condition(account)}`, { orderId })[0],

    /** More than one if the service gave an id again. */
    withId: (account: AccountId, orderId: string): Entry[] =>
      entries(`order_id = $orderId AND ${accounts.condition(account)}`, { orderId }, all),

    /** On any account. */
    findAnywhere: (orderId: string): Entry[] => entries('order_id = $orderId', { orderId }, all),

    /** The newest order that was created with orderctl. */
    last: ({ account }: Pick<Owner, 'account'>): Entry | undefined =>
      entries(`${accounts.condition(account)} AND request IS NOT NULL`, {})[0],

    byReference: ({ account }: Pick<Owner, 'account'>, reference: string): Entry[] =>
      withReference(account, reference).filter(
        ({ standing }) => standing !== ownStandings.refused && standing !== ownStandings.notSent,
      ),

    /** The newest order that holds the reference. */
    holderOf: (account: AccountId, reference: string): Entry | undefined =>
      withReference(account, reference).find(({ standing }) => !isVoid(standing)),

    /** Another order that may be the purchase which the reference stands for. */
    rivalOf: (account: AccountId, reference: string, number: number | undefined): Entry | undefined =>
      withReference(account, reference).find((other) => {
        if (other.number === number || other.duplicate === 1) return false
        if (callsOf(other.number).some(isUnproven)) return true
        if (isVoid(other.standing)) return false
        return other.confirmedAt !== undefined || number === undefined || other.number > number
      }),

    /** References that differ from this one only in case, spaces or invisible characters. */
    similarReferences: (account: AccountId, reference: string): string[] => {
      const similar = entries(
        `reference_fold = $fold AND ${accounts.condition(account)} AND ${isHolding}`,
        { fold: foldReference(reference) },
        all,
      ).flatMap((entry) => entry.reference ?? [])
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    },

    /** Orders whose confirm is unproven. */
    unproven: (account: AccountId): Entry[] =>
      entries(
        `${accounts.condition(account)} AND number IN (SELECT order_number FROM calls
           WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused'))`,
        {},
        all,
      ),

    unfinished: ({ account }: Pick<Owner, 'account'>): Entry[] =>
      entries(`${accounts.condition(account)} AND ${isUnfinished}`, {}, all, 'unfinished_by_account'),

    /** On other accounts, the orders that may have spent. */
    unknownElsewhere: ({ account }: Pick<Owner, 'account'>): (Omit<Owner, 'account'> & { count: number })[] =>
      database
        .prepare(
          `SELECT profile, origin, count(*) AS count FROM orders
           WHERE standing = '${ownStandings.unknown}' AND NOT (${accounts.condition(account)})
           GROUP BY profile, origin ORDER BY profile, origin`,
        )
        .all()
        .map((row) => fromRow<Omit<Owner, 'account'> & { count: number }>(row)),

    list: ({ limit, profile, standing, reference, since, unfinished }: Filter): Entry[] => {
      const conditions: [string, SQLInputValue][] = []
      if (profile !== undefined) conditions.push(['profile = $profile', profile])
      if (standing !== undefined) conditions.push(['standing = $standing', standing])
      if (reference !== undefined) conditions.push(['reference_fold = $fold', foldReference(reference)])
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

    /** The state that the order had before its first confirm, which is how this service names a pending order. */
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
