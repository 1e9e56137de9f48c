// Fills a shared journal with many orders, for benchmarks that read it.
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import type { TestDatabase } from '../../support/postgres/database.ts'
import { journalOptions } from './database.ts'

const minuteMs = 60_000

/** Of 20 orders, one has failed and one is not finished. */
const standing = `CASE n % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'processing' ELSE 'successful' END`

// The owner of the tables may not skip the checks of foreign keys, which take most of the time.
const fillJournal = (count: number, address: string, origin: string): string => `
  SET session_replication_role = replica;
  INSERT INTO accounts (number, address) VALUES (1, '${address}');
  INSERT INTO actors (number, role, os_user, host)
    SELECT n, 'role-' || n, 'user-' || n, 'host-' || n FROM generate_series(1, 20) AS n;

  CREATE TEMPORARY TABLE numbers AS
    SELECT n, now_ms - (${count} + 1 - n) * ${minuteMs} AS at
    FROM generate_series(CAST(1 AS BIGINT), ${count}) AS n,
      (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms) AS clock;

  INSERT INTO orders (number, account, profile, origin, reference, reference_fold, order_id, standing,
      confirmed_at, request, wallet, total, placed_at, changed_at, created_at, expires_at, actor, reserved_at)
    SELECT n, 1, 'shop', '${origin}', 'po-' || n, 'po-' || n, 'ord_' || lpad(n::text, 24, '0'), ${standing},
      at + 500, '{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":2}],"wallet":"USD"}',
      'USD', '50', at, at + 3000, at, at + 600000, 1 + n % 20, at + 400
    FROM numbers ORDER BY n;

  INSERT INTO reference_locks (address, reference_fold) SELECT '${address}', 'po-' || n FROM numbers;

  INSERT INTO calls (order_number, operation, outcome, settled, started_at, until, answered_at, settled_at,
      actor, profile_name)
    SELECT n, operation, 'done', NULL, at + later, at + later + 45000, at + later + 100, NULL, 1 + n % 20, 'shop'
    FROM numbers, (VALUES ('create', 0), ('confirm', 400)) AS operations (operation, later)
    ORDER BY n, later;

  INSERT INTO states (order_number, state, at)
    SELECT n, state, at + later
    FROM numbers, LATERAL (VALUES ('confirmed', 500), (${standing}, 3000)) AS reached (state, later)
    ORDER BY n, later;

  SELECT setval(pg_get_serial_sequence(name, 'number'), ${count}) FROM (VALUES ('accounts'), ('actors'), ('orders'))
    AS tables (name);
`

/** One order a minute up to now, each created and confirmed. `origin`: the base URL of the account. */
export const fillDatabase = async (
  database: TestDatabase,
  { count, address, origin }: { readonly count: number; readonly address: string; readonly origin: string },
): Promise<void> => {
  await (await openSharedJournal(journalOptions(database))).close()
  await database.admin(fillJournal(count, address, origin))
  // Otherwise autovacuum would do it, at a time of its choice.
  await database.admin('VACUUM (FREEZE, ANALYZE)')
}
