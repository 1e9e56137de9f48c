// Records who revealed the codes of which products, and when. The codes themselves are never stored.

import { type AccountId, getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import type { Read, Run } from '../access.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Row, Statements } from '../database/database.ts'
import { reveals } from '../tables/cards.ts'
import type { RowOf } from '../tables/table.ts'
import type { Filter } from './list-orders.ts'
import { type Damage, fromRow } from './row.ts'

type StoredReveal = Omit<RowOf<typeof reveals>, 'number'>

/** tables/orders.ts describes each field. */
type RecordedReveal = Omit<StoredReveal, 'skus'> & Damage & { readonly skus: readonly string[] }
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

/** Records who revealed the codes of which products, and when. */
export type Reveals = {
  readonly recordReveals: (reveals: readonly Reveal[]) => Promise<void>
  /** Newest first. */
  readonly listReveals: (
    filter: Pick<Filter, 'profile' | 'since' | 'actors' | 'limit'>,
  ) => Promise<RecordedReveal[]>
}

export const createReveals = (read: Run, write: Run): Reveals => ({
  recordReveals: (reveals) =>
    write(async ({ statements, actor }) => {
      for (const reveal of reveals) await insertReveal(statements, reveal, actor)
    }),

  listReveals: ({ profile, since = 0, actors, limit }) =>
    read(async ({ statements: { all, dialect } }) => {
      const ofActors = actors === undefined ? 'TRUE' : `actor IN (${[0, ...actors].join(', ')})`
      const rows = await all(
        `SELECT profile, origin, order_id, skus, at, who, how, actor, ${dialect.writtenBy} AS written_by FROM reveals
       WHERE (CAST($profile AS TEXT) IS NULL OR profile = $profile) AND at >= $since AND ${ofActors}
       ORDER BY number DESC LIMIT $limit`,
        { profile: profile ?? null, since, limit },
      )
      return rows.map(parseReveal)
    }),
})

const parseReveal = (row: Row): RecordedReveal => {
  const { skus, damage = [], ...reveal } = fromRow<StoredReveal>(row, reveals)
  const read = readSkus(skus)
  const damaged = read === undefined ? [...new Set([...damage, 'skus'])] : damage
  return { ...reveal, skus: read ?? [], ...(damaged.length > 0 && { damage: damaged }) }
}

const readSkus = (text: string): string[] | undefined => {
  try {
    const skus: unknown = JSON.parse(text)
    return Array.isArray(skus) && skus.every((sku) => typeof sku === 'string') ? skus : undefined
  } catch {
    return undefined
  }
}

export type OrderReveal = RecordedReveal & { readonly by?: Actor }

/** Who revealed the codes of an order, the oldest first. */
export const listOrderReveals = (
  { read }: Read,
  account: AccountId,
  orderId: string,
): Promise<OrderReveal[]> =>
  read(async ({ statements }) => {
    const rows = await statements.all(
      `SELECT profile, origin, order_id, skus, at, who, how, actor, role, os_user, host,
         ${statements.dialect.writtenBy} AS written_by
       FROM reveals LEFT JOIN actors ON actors.number = actor
       WHERE order_id = $orderId AND how <> 'find' ORDER BY reveals.number`,
      { orderId },
    )
    const all = rows.map(({ role, os_user, host, ...row }): OrderReveal => {
      const by = readActor({ role, os_user, host, written_by: row.written_by })
      return { ...parseReveal(row), by }
    })
    return all.filter(({ origin }) => isAt(origin, account))
  })

/** Another service may use the same id. A damaged origin is no URL. */
const isAt = (origin: string, { address }: AccountId): boolean =>
  origin === sandboxAddress || URL.canParse(origin)
    ? getAccountId(origin).address === address
    : origin === address
