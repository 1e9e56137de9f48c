// Version 4 of the journal's tables adds who did what, the products of orders, limits of accounts, and the workers of
// batches.
import type { DatabaseSync } from 'node:sqlite'
import { attemptCondition, createdCondition, unfinishedCondition } from '../entry.ts'
import { readRequestProducts, toProductColumns } from '../products.ts'
import { committedCondition, shownState } from '../standings.ts'
import { addListeners } from './listener-table.ts'
import { addReceived } from './received-tables.ts'
import { addTeams } from './team-tables.ts'

const isUnproven = `operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused')`

const columns = `number, account, profile, origin, id, demand, name, name_fold, wallet, columns, header, card_key,
  last_slot, max_total, stopped, planned_at, started_at, changed_at, cancelled_at`

// SQLite cannot change a constraint: a budget or an approval may stop a batch, too.
const newBatches = `
CREATE TABLE new_batches (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts,
  profile TEXT NOT NULL,
  origin TEXT NOT NULL,
  -- The fingerprints of the plan: with all rows, and of what it buys alone.
  id TEXT NOT NULL,
  demand TEXT NOT NULL,
  name TEXT NOT NULL,
  name_fold TEXT NOT NULL,
  wallet TEXT NOT NULL,
  -- The names of the other columns of the input, as JSON.
  columns TEXT NOT NULL,
  -- All columns of the input, as JSON.
  header TEXT NOT NULL,
  -- The key of the hashes in batch_cards.
  card_key TEXT NOT NULL,
  last_slot INTEGER NOT NULL,
  -- NULL until somebody consents to it.
  max_total TEXT,
  stopped TEXT CHECK (stopped IN ('cap', 'funds', 'budget', 'approval')),
  planned_at INTEGER NOT NULL,
  started_at INTEGER,
  changed_at INTEGER NOT NULL,
  cancelled_at INTEGER
) STRICT;
INSERT INTO new_batches (${columns}) SELECT ${columns} FROM batches;
DELETE FROM sqlite_sequence WHERE name = 'new_batches';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_batches', seq FROM sqlite_sequence WHERE name = 'batches';
DROP TABLE batches;
ALTER TABLE new_batches RENAME TO batches;
CREATE UNIQUE INDEX batches_by_name ON batches (account, name_fold);
CREATE INDEX batches_by_demand ON batches (demand);
`

const forget = (row: 'OLD' | 'NEW'): string => `
  DELETE FROM spent_hours
  WHERE account = ${row}.account AND wallet = ${row}.wallet AND hour = ${row}.reserved_at / 3600000;`

const spentHours = `
CREATE TRIGGER inserted_orders_forget AFTER INSERT ON orders WHEN NEW.reserved_at IS NOT NULL
BEGIN ${forget('NEW')}
END;
CREATE TRIGGER deleted_orders_forget AFTER DELETE ON orders WHEN OLD.reserved_at IS NOT NULL
BEGIN ${forget('OLD')}
END;
CREATE TRIGGER updated_orders_forget AFTER UPDATE OF account, wallet, total, reserved_at ON orders
BEGIN ${forget('OLD')} ${forget('NEW')}
END;
`

const newTables = `
${newBatches}
${addTeams({ number: 'INTEGER PRIMARY KEY AUTOINCREMENT', integer: 'INTEGER', text: 'TEXT', table: 'STRICT' })}
${addReceived({ number: 'INTEGER PRIMARY KEY AUTOINCREMENT', integer: 'INTEGER', text: 'TEXT', table: 'STRICT' })}
${addListeners({ integer: 'INTEGER', table: 'STRICT' })}
ALTER TABLE calls ADD COLUMN id TEXT;
CREATE UNIQUE INDEX calls_by_id ON calls (id);
CREATE TABLE journal_identity (id TEXT NOT NULL) STRICT;
INSERT INTO journal_identity (id) VALUES (lower(hex(randomblob(16))));
UPDATE orders SET reserved_at = coalesce(confirmed_at,
  (SELECT max(started_at) FROM calls WHERE order_number = orders.number AND ${isUnproven}));
${spentHours}
ALTER TABLE orders ADD COLUMN void_reason TEXT;
ALTER TABLE orders ADD COLUMN service_state TEXT;
ALTER TABLE orders ADD COLUMN result TEXT;
ALTER TABLE orders ADD COLUMN confirms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN state TEXT GENERATED ALWAYS AS (${shownState}) VIRTUAL;
ALTER TABLE calls ADD COLUMN service_state TEXT;
DROP INDEX unfinished_by_time; DROP INDEX unfinished_by_profile; DROP INDEX unfinished_by_account; DROP INDEX orders_by_standing;
DROP INDEX shown_by_time; DROP INDEX attempts_by_time; DROP INDEX unproven_confirms; DROP INDEX confirmed_by_batch;
CREATE INDEX orders_by_state ON orders (state, placed_at);
CREATE INDEX unfinished_by_time ON orders (placed_at) WHERE ${unfinishedCondition};
CREATE INDEX unfinished_by_profile ON orders (profile, placed_at) WHERE ${unfinishedCondition};
CREATE INDEX unfinished_by_account ON orders (account) WHERE ${unfinishedCondition};
CREATE INDEX unproven_by_account ON orders (account) WHERE standing IN ('confirming', 'doubtful');
CREATE INDEX shown_by_time ON orders (placed_at) WHERE ${createdCondition};
CREATE INDEX attempts_by_time ON orders (placed_at) WHERE ${attemptCondition};
CREATE INDEX committed_by_batch ON orders (batch, total, standing) WHERE batch IS NOT NULL AND ${committedCondition};
`

/** The amount of each product is not known. */
const setProducts = `
UPDATE orders SET products = request_products(request, standing) WHERE request IS NOT NULL;
UPDATE orders SET cards = count_cards(products), delivered = count_delivered(products) WHERE products IS NOT NULL;
`

export const addTeamTables = (database: DatabaseSync): void => {
  const options = { deterministic: true } as const
  database.function('request_products', options, (request, standing) => {
    const delivered = deliveredIn.get(standing) ?? 'unknown'
    return readRequestProducts(String(request), delivered) ?? null
  })
  database.function('count_cards', options, (products) => toProductColumns(String(products)).cards)
  database.function('count_delivered', options, (products) => toProductColumns(String(products)).delivered)
  database.exec(newTables)
  database.exec(setProducts)
}

const deliveredIn = new Map<unknown, 'all' | 'none'>([
  ['successful', 'all'],
  ['failed', 'none'],
  ['rejected', 'none'],
])
