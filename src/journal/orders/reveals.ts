// Records who revealed which products' codes, and when. The codes themselves are never stored.

import { type AccountId, getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import type { Access, Write } from '../access.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Statements } from '../database/database.ts'
import { reveals } from '../tables/cards.ts'
import type { RowOf } from '../tables/table.ts'
import type { Damage } from './entry.ts'
import type { Filter } from './list-orders.ts'
import { selectRows } from './row.ts'

type RecordedReveal = Omit<RowOf<typeof reveals>, 'number'> & Damage
export type Reveal = Omit<RecordedReveal, 'actor' | 'writtenBy' | 'damage'>

const isKnown = `EXISTS (SELECT 1 FROM reveals WHERE order_id = $orderId AND at = $at AND how = $how AND who = $who
  AND skus = $skus AND profile = $profile AND origin = $origin)`

/** Call it within a transaction. */
export const insertReveal = async (
  { run }: Statements,
  { skus, ...reveal }: Reveal,
  actor: number | undefined,
  { unlessKnown = false } = {},
): Promise<void> =>
  void (await run(
    `INSERT INTO reveals (profile, origin, order_id, skus, at, who, how, actor)
     SELECT $profile, $origin, $orderId, $skus, CAST($at AS BIGINT), $who, $how, CAST($actor AS BIGINT)
     ${unlessKnown ? `WHERE NOT ${isKnown}` : ''}`,
    { ...reveal, skus: JSON.stringify(skus), actor: actor ?? null },
  ))

export const recordReveals = ({ write }: Write, reveals: readonly Reveal[]): Promise<void> =>
  write(async (access) => {
    for (const reveal of reveals) await insertReveal(access, reveal, access.actor)
  })

const columns = ({ dialect }: Access): string =>
  `profile, origin, order_id, skus, at, who, how, actor, ${dialect.writtenBy} AS written_by`

/** Newest first. */
export const listReveals = (
  access: Access,
  {
    profile,
    since = 0,
    until,
    actors,
    limit,
  }: Pick<Filter, 'profile' | 'since' | 'until' | 'actors' | 'limit'>,
  order?: string,
): Promise<RecordedReveal[]> => {
  const ofActors = actors === undefined ? 'TRUE' : `actor IN (${[0, ...actors].join(', ')})`
  const sql = `SELECT ${columns(access)} FROM reveals
    WHERE (CAST($profile AS TEXT) IS NULL OR profile = $profile) AND at >= $since
      AND (CAST($until AS BIGINT) IS NULL OR at < $until) AND ${ofActors}
      AND (CAST($order AS TEXT) IS NULL OR order_id = $order)
    ORDER BY number DESC LIMIT $limit`
  const values = { profile: profile ?? null, since, until: until ?? null, limit }
  return selectRows(access, reveals, sql, { ...values, order: order ?? null })
}

export type OrderReveal = RecordedReveal & { readonly by?: Actor | undefined }

/** Who revealed the codes of an order, the oldest first. */
export const listOrderReveals = async (access: Access, account: AccountId, orderId: string) => {
  const sql = `SELECT ${columns(access)}, role, os_user, host
    FROM reveals LEFT JOIN actors ON actors.number = actor
    WHERE order_id = $orderId AND how <> 'find' ORDER BY reveals.number`
  const all = await selectRows<OrderReveal>(access, reveals, sql, { orderId }, (row) => ({
    by: readActor(row),
  }))
  return all.filter(({ origin }) => isOfAddress(origin, account))
}

/** A different service may use the same id. A damaged origin is not a URL. */
export const isOfAddress = (origin: string, { address }: AccountId): boolean =>
  origin === sandboxAddress || URL.canParse(origin)
    ? getAccountId(origin).address === address
    : origin === address
