// Who saw which codes, and when. Never the codes.
import type { DatabaseSync } from 'node:sqlite'
import { fromRow, type Owner } from './entry.ts'
import type { Filter } from './reading.ts'

export type Reveal = Pick<Owner, 'profile' | 'origin'> & {
  readonly orderId: string
  readonly skus: readonly string[]
  readonly at: number
  readonly who: string
  /** Shown, as text or as QR codes, written to a file, or put on the clipboard. */
  readonly how: 'reveal' | 'qr' | 'export' | 'copy'
}

export const revealsIn = (database: DatabaseSync) => ({
  noteReveal: ({ profile, origin, orderId, skus, at, who, how }: Reveal): void =>
    void database
      .prepare(
        'INSERT INTO reveals (profile, origin, order_id, skus, at, who, how) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(profile, origin, orderId, JSON.stringify(skus), at, who, how),

  reveals: ({ profile, since, limit }: Pick<Filter, 'profile' | 'since' | 'limit'>): Reveal[] =>
    database
      .prepare(
        `SELECT profile, origin, order_id, skus, at, who, how FROM reveals
         WHERE ($profile IS NULL OR profile = $profile) AND at >= $since ORDER BY number DESC LIMIT $limit`,
      )
      .all({ profile: profile ?? null, since: since ?? 0, limit })
      .map((row) => fromRow<Reveal & { skus: string }>(row))
      .map((reveal) => ({ ...reveal, skus: JSON.parse(reveal.skus) })),
})
