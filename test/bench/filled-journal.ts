// Creates a journal with many orders, for benchmarks that read it.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { foldReference } from '../../src/contract/reference.ts'
import { openJournal } from '../../src/journal/journal.ts'

/** Creates the state folder `home` with `count` orders of the sandbox, placed a minute apart, and one more. */
export const filledJournal = async (home: string, count: number): Promise<string> => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const file = path.join(home, 'journal.db')
  await (await openJournal(file)).close()
  const database = new DatabaseSync(file)
  database.function('fold_reference', { deterministic: true }, (reference) =>
    foldReference(String(reference)),
  )
  database.exec(`
    INSERT INTO accounts (number, address) VALUES (1, 'sandbox:');
    INSERT INTO orders
      (account, profile, origin, reference, reference_fold, order_id, standing, request, wallet, total, placed_at, changed_at, expires_at)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    SELECT 1, 'sandbox', 'sandbox:', 'ref-' || n, fold_reference('ref-' || n), 'ord_' || n, CASE n % 50 WHEN 0 THEN 'failed' ELSE 'successful' END,
      '{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":2}]}', 'USD', '50',
      n * 60000, n * 60000, n * 60000 + 600000
    FROM numbers WHERE ${count} > 0;
    INSERT INTO orders (account, profile, origin, reference, reference_fold, order_id, standing, request, wallet, total, placed_at, changed_at)
      VALUES (1, 'sandbox', 'sandbox:', 'the-last', fold_reference('the-last'), 'ord_last', 'created', '{"productList":[]}', 'USD', '1', ${(count + 1) * 60000}, 1);
  `)
  database.close()
  return home
}
