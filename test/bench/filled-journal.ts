// A journal with many orders in it, for whatever reads it.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openJournal } from '../../src/journal/journal.ts'

/** A state folder as if so many orders had been placed from here, a minute apart. */
export const filledJournal = (home: string, count: number): string => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const file = path.join(home, 'journal.db')
  const journal = openJournal(file)
  journal.close()
  const database = new DatabaseSync(file)
  database.exec(`
    INSERT INTO orders
      (profile, origin, reference, order_id, standing, request, wallet, total, placed_at, changed_at, expires_at)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    SELECT 'sandbox', 'sandbox:', 'ref-' || n, 'ord_' || n, CASE n % 50 WHEN 0 THEN 'failed' ELSE 'successful' END,
      '{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":2}]}', 'USD', '50',
      n * 60000, n * 60000, n * 60000 + 600000
    FROM numbers WHERE ${count} > 0;
    INSERT INTO orders (profile, origin, reference, order_id, standing, request, wallet, total, placed_at, changed_at)
      VALUES ('sandbox', 'sandbox:', 'the-last', 'ord_last', 'created', '{"productList":[]}', 'USD', '1', ${(count + 1) * 60000}, 1);
  `)
  database.close()
  return home
}
