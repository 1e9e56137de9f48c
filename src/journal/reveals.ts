// Records who revealed the codes of which products, and when. The codes themselves are never stored.
import type { Statements } from './database/database.ts'
import type { Owner } from './entry.ts'
import type { Filter } from './queries.ts'
import { type Damage, fromRow } from './row.ts'
import type { RunTransaction } from './tables.ts'

export type Reveal = Pick<Owner, 'profile' | 'origin'> & {
  readonly orderId: string
  readonly skus: readonly string[]
  readonly at: number
  readonly who: string
  /** Shown as text or QR codes, written to a file, or copied to the clipboard. */
  readonly how: 'reveal' | 'qr' | 'export' | 'copy'
}

export const createRevealTable = ({ all }: Statements, runTransaction: RunTransaction) => ({
  recordReveals: (reveals: readonly Reveal[]): Promise<void> =>
    runTransaction(async ({ statements }) => {
      for (const { skus, ...reveal } of reveals) {
        await statements.run(
          `INSERT INTO reveals (profile, origin, order_id, skus, at, who, how)
           VALUES ($profile, $origin, $orderId, $skus, $at, $who, $how)`,
          { ...reveal, skus: JSON.stringify(skus) },
        )
      }
    }),

  listReveals: async ({
    profile,
    since,
    limit,
  }: Pick<Filter, 'profile' | 'since' | 'limit'>): Promise<(Reveal & Damage)[]> => {
    const rows = await all(
      `SELECT profile, origin, order_id, skus, at, who, how FROM reveals
       WHERE (CAST($profile AS TEXT) IS NULL OR profile = $profile) AND at >= $since ORDER BY number DESC LIMIT $limit`,
      { profile: profile ?? null, since: since ?? 0, limit },
    )
    return rows.map((row) => parseSkus(fromRow<Omit<Reveal, 'skus'> & { skus: string }>(row)))
  },
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
