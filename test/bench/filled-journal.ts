// Fills a journal with many orders.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getAccountId } from '../../src/contract/account-id.ts'
import { formatProducts } from '../../src/contract/ordered-products.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import { optionsOf, testIdentity } from '../journal/journals.ts'
import type { TestDatabase } from '../support/postgres/database.ts'

type Fill = {
  /** The base URL of the account. */
  readonly origin: string
  readonly count: number
}

const products = Array.from({ length: 20 }, (_, index) => ({
  ...{ sku: `PRODUCT-${String.fromCharCode(65 + index)}`, productType: 'fixed', quote: '25' },
  ...{ ordered: 2, delivered: 2 },
}))
const states = [...Array.from({ length: 17 }, () => 'successful'), 'failed', 'partial', 'processing']
const people = 12

/** Gives each order one of the values by its number. */
const choose = (values: readonly string[]): string =>
  `CASE n % ${values.length} ${values.map((value, index) => `WHEN ${index} THEN '${value}'`).join(' ')} END`

const productList = [{ sku: 'PRODUCT-A', productType: 'fixed', quote: 25, quantity: 2 }]

/** SQL for both databases. */
const formatFill = ({ origin, count }: Fill): string => {
  const numbers = `WITH RECURSIVE numbers (n) AS (
    SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}
  )`
  // One a minute. The last one is placed now.
  const at = `${Date.now() - count * 60_000} + n * 60000`
  return `
    INSERT INTO accounts (number, address) VALUES (1, '${getAccountId(origin).address}');
    INSERT INTO actors (number, role, os_user, host)
      ${numbers} SELECT n, 'role-' || n, 'person-' || n, 'desk' FROM numbers WHERE n <= ${people};
    INSERT INTO orders (number, account, profile, origin, reference, reference_fold, order_id, standing, service_state, result, request,
        wallet, total, counts, placed_at, changed_at, created_at, confirmed_at, reserved_at, expires_at, actor, products, cards,
        delivered)
      ${numbers} SELECT n, 1, 'shop', '${origin}', 'po-' || n, 'po-' || n, 'ord_' || n, 'confirmed', ${choose(states)},
        nullif(${choose(states)}, 'processing'),
        '${JSON.stringify({ productList })}', ${choose(['USD', 'USD', 'EUR'])}, (n % 500 + 1) || '.25',
        (n % 500 + 1) * 1000000 + 250000,
        ${at}, ${at}, ${at}, ${at}, ${at}, ${at} + 600000, 1 + n % ${people},
        ${choose(products.map((product) => formatProducts([product]) ?? ''))}, 2, 2
      FROM numbers;
    INSERT INTO calls (id, order_number, operation, outcome, started_at, until, responded_at, actor, profile_name)
      ${numbers} SELECT operation || n, n, operation, 'done', ${at}, ${at} + 45000, ${at} + 100, 1 + n % ${people}, 'shop'
      FROM numbers, (SELECT 'create' AS operation UNION ALL SELECT 'confirm') AS operations;`
}

/** Fills the journal in the home folder of this environment. */
export const fillFile = async ({ HOME = '' }: NodeJS.ProcessEnv, fill: Fill): Promise<string> => {
  const file = path.join(HOME, 'journal.db')
  await (await openJournal(file)).close()
  using database = new DatabaseSync(file)
  database.exec(`BEGIN; ${formatFill(fill)} COMMIT`)
  return file
}

export const openDatabase = (database: TestDatabase) =>
  openSharedJournal({ ...optionsOf(database.address()), identify: () => testIdentity })

export const fillDatabase = async (database: TestDatabase, fill: Fill): Promise<void> => {
  await (await openDatabase(database)).close()
  const { address } = getAccountId(fill.origin)
  await database.admin(`
    SET session_replication_role = replica;
    ALTER TABLE orders ALTER written_by SET DEFAULT session_user;
    ALTER TABLE calls ALTER written_by SET DEFAULT session_user;
    ${formatFill(fill)}
    INSERT INTO reference_locks (address, reference_fold) SELECT '${address}', reference_fold FROM orders;
    SELECT setval(pg_get_serial_sequence(name, 'number'), ${fill.count})
      FROM (VALUES ('accounts'), ('actors'), ('orders')) AS tables (name);`)
  // Otherwise autovacuum would do it, at a time of its choice.
  await database.admin('VACUUM (FREEZE, ANALYZE)')
}
