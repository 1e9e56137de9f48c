// Records who revealed the codes of which products, and when. The codes themselves are never stored.
import type { DatabaseSync } from 'node:sqlite'
import type { Owner } from './entry.ts'
import type { Filter } from './queries.ts'
import { type Damage, fromRow } from './row.ts'
import type { RunTransaction } from './state-changes.ts'

export type Reveal = Pick<Owner, 'profile' | 'origin'> & {
  readonly orderId: string
  readonly skus: readonly string[]
  readonly at: number
  readonly who: string
  /** Shown as text or QR codes, written to a file, or copied to the clipboard. */
  readonly how: 'reveal' | 'qr' | 'export' | 'copy'
}

export const createRevealTable = (database: DatabaseSync, runTransaction: RunTransaction) => ({
  recordReveals: (reveals: readonly Reveal[]): void =>
    runTransaction(() => {
      const insert = database.prepare(
        'INSERT INTO reveals (profile, origin, order_id, skus, at, who, how) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      for (const { profile, origin, orderId, skus, at, who, how } of reveals) {
        insert.run(profile, origin, orderId, JSON.stringify(skus), at, who, how)
      }
    }),

  listReveals: ({
    profile,
    since,
    limit,
  }: Pick<Filter, 'profile' | 'since' | 'limit'>): (Reveal & Damage)[] =>
    database
      .prepare(
        `SELECT profile, origin, order_id, skus, at, who, how FROM reveals
         WHERE ($profile IS NULL OR profile = $profile) AND at >= $since ORDER BY number DESC LIMIT $limit`,
      )
      .all({ profile: profile ?? null, since: since ?? 0, limit })
      .map((row) => parseSkus(fromRow<Omit<Reveal, 'skus'> & { skus: string }>(row))),
})

const parseSkus = ({ skus, damage = [], ...reveal }: Omit<Reveal, 'skus'> & { skus: string } & Damage) => {
  const read = readSkus(skus)
  const damaged = read === undefined && !damage.includes('skus') ? [...damage, 'skus'] : damage
  return { ...reveal, skus: read ?? [], ...(damaged.length === 0 ? {} : { damage: damaged }) }
}

const readSkus = (text: string): string[] | undefined => {
  try {
    const skus: unknown = JSON.parse(text)
    return Array.isArray(skus) && skus.every((sku) => typeof sku === 'string') ? skus : undefined
  } catch {
    return undefined
  }
}
