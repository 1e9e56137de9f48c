// Version 2 of the journal's tables adds accounts, confirmation times, and proof that nothing was spent.
import type { DatabaseSync } from 'node:sqlite'
import { getAccountId } from '../../contract/account-id.ts'
import { foldReference } from '../../contract/reference.ts'
import { repairFirstJournal } from './first-schema.ts'

// SQLite cannot change a constraint, so this step creates the tables again. It drops child tables first to keep
// foreign keys valid.
const newTables = `
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY,
  address TEXT NOT NULL,
  name TEXT
) STRICT;
CREATE UNIQUE INDEX accounts_by_identity ON accounts (address, coalesce(name, ''));

CREATE TABLE new_orders (
  -- Numbers are never used again: a process that waits for an answer knows its order by the number.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts,
  profile TEXT NOT NULL,
  origin TEXT NOT NULL,
  reference TEXT,
  -- See foldReference.
  reference_fold TEXT,
  order_id TEXT,
  -- 1 if --allow-duplicate was given.
  duplicate INTEGER NOT NULL DEFAULT 0,
  standing TEXT NOT NULL,
  confirmed_at INTEGER,
  -- NULL if the order was created elsewhere.
  request TEXT,
  wallet TEXT,
  total TEXT,
  placed_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  created_at INTEGER,
  expires_at INTEGER,
  unconfirmed_at INTEGER
) STRICT;

CREATE TABLE new_calls (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  order_number INTEGER NOT NULL REFERENCES new_orders,
  operation TEXT NOT NULL CHECK (operation IN ('create', 'confirm')),
  outcome TEXT NOT NULL CHECK (outcome IN ('sending', 'not-sent', 'refused', 'done', 'unknown')),
  settled TEXT CHECK (settled IN ('took-effect', 'no-effect', 'expired')),
  status INTEGER,
  refusal TEXT,
  started_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  answered_at INTEGER,
  settled_at INTEGER,
  settled_by TEXT,
  reason TEXT,
  accepted TEXT
) STRICT;

CREATE TABLE new_states (
  order_number INTEGER NOT NULL REFERENCES new_orders,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (order_number, at, state)
) STRICT, WITHOUT ROWID;
`

const unproven = `operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused')`

const copies = `
INSERT INTO accounts (address) SELECT DISTINCT account_address(origin) FROM orders;

INSERT INTO new_orders (number, account, profile, origin, reference, reference_fold, order_id, duplicate,
    standing, confirmed_at, request, wallet, total, placed_at, changed_at, expires_at)
  SELECT number, (SELECT accounts.number FROM accounts WHERE address = account_address(origin)),
    profile, origin, reference, fold_reference(reference), order_id, duplicate, standing,
    CASE WHEN standing IN ('confirmed', 'rejected', 'processing', 'failed', 'partial', 'successful')
      THEN changed_at
      ELSE (SELECT min(coalesce(settled_at, answered_at, started_at)) FROM calls
            WHERE order_number = orders.number AND operation = 'confirm'
              AND (outcome = 'done' OR settled = 'took-effect')) END,
    request, wallet, total, placed_at, changed_at, expires_at
  FROM orders ORDER BY number;

INSERT INTO new_calls (number, order_number, operation, outcome, settled, status, refusal, started_at, until,
    answered_at, settled_at)
  SELECT number, order_number, operation, outcome, CASE settled WHEN 'lapsed' THEN 'expired' ELSE settled END,
    status, refusal, started_at, until, answered_at, settled_at
  FROM calls ORDER BY number;

INSERT INTO new_states SELECT * FROM states;

DELETE FROM sqlite_sequence WHERE name IN ('new_orders', 'new_calls');
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'new_' || name, seq FROM sqlite_sequence WHERE name IN ('orders', 'calls');

-- A refusal was believed and released the reference. It needs proof now.
UPDATE new_orders SET standing = 'created' WHERE standing = 'lapsed'
  AND EXISTS (SELECT 1 FROM new_calls WHERE order_number = new_orders.number AND ${unproven});
UPDATE new_orders SET standing = 'expired' WHERE standing = 'lapsed';

-- A create without an answer spends nothing.
UPDATE new_orders SET standing = CASE WHEN order_id IS NULL THEN 'unanswered' ELSE 'created' END
  WHERE standing = 'unknown'
    AND NOT EXISTS (SELECT 1 FROM new_calls WHERE order_number = new_orders.number AND ${unproven});
`

const renames = `
DROP TABLE calls;
DROP TABLE states;
DROP TABLE orders;
ALTER TABLE new_orders RENAME TO orders;
ALTER TABLE new_calls RENAME TO calls;
ALTER TABLE new_states RENAME TO states;
`

const isUnfinished = `standing NOT IN
  ('successful', 'partial', 'failed', 'rejected', 'unanswered', 'refused', 'not-sent', 'expired')`

const indexes = `
-- Not unique: only the answer to a create may give a known id to a new order.
CREATE INDEX orders_by_id ON orders (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX orders_by_reference ON orders (reference_fold, account) WHERE reference_fold IS NOT NULL;
CREATE INDEX orders_by_account ON orders (account);
CREATE INDEX orders_by_account_and_time ON orders (account, placed_at);
CREATE INDEX orders_by_time ON orders (placed_at);
CREATE INDEX orders_by_profile ON orders (profile, placed_at);
CREATE INDEX orders_by_standing ON orders (standing, placed_at);
CREATE INDEX unfinished_by_time ON orders (placed_at) WHERE ${isUnfinished};
CREATE INDEX unfinished_by_profile ON orders (profile, placed_at) WHERE ${isUnfinished};
CREATE INDEX unfinished_by_account ON orders (account) WHERE ${isUnfinished};

CREATE INDEX calls_by_order ON calls (order_number);
CREATE INDEX unproven_confirms ON calls (order_number) WHERE ${unproven};
-- The last line of defence: at most one confirm of an order is under way.
CREATE UNIQUE INDEX one_open_confirm ON calls (order_number)
  WHERE operation = 'confirm' AND outcome IN ('sending', 'unknown') AND settled IS NULL;
`

export const addAccounts = (database: DatabaseSync): void => {
  repairFirstJournal(database)
  const options = { deterministic: true } as const
  database.function('account_address', options, (origin) => accountAddress(String(origin)))
  database.function('fold_reference', options, (reference) =>
    reference === null ? null : foldReference(String(reference)),
  )
  for (const sql of [newTables, copies, renames, indexes]) database.exec(sql)
}

/** An origin that is not a valid URL becomes an account of its own. */
const accountAddress = (origin: string): string =>
  origin === 'sandbox:' || !URL.canParse(origin) ? origin : getAccountId(origin).address
