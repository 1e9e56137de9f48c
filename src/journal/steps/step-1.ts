// Version 1 of the journal's tables. A released step is never changed.

export const firstTables = `
  CREATE TABLE orders (
    -- Never given out again, for a call under way knows its order by it.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    profile TEXT NOT NULL,
    origin TEXT NOT NULL,
    reference TEXT,
    order_id TEXT,
    -- Its reference was meant to stand twice.
    duplicate INTEGER NOT NULL DEFAULT 0,
    standing TEXT NOT NULL,
    -- Of what was created from here alone.
    request TEXT,
    wallet TEXT,
    total TEXT,
    placed_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT;
  -- Not unique: a service that is put back to its first day gives the same ids again.
  CREATE INDEX orders_by_id ON orders (order_id, profile, origin) WHERE order_id IS NOT NULL;
  CREATE INDEX orders_by_reference ON orders (reference, profile, origin) WHERE reference IS NOT NULL;
  CREATE INDEX orders_by_account ON orders (profile, origin);
  -- A page of the newest, of all and of each filter, without a look at the rest.
  CREATE INDEX orders_by_time ON orders (placed_at);
  CREATE INDEX orders_by_profile ON orders (profile, placed_at);
  CREATE INDEX orders_by_standing ON orders (standing, placed_at);
  CREATE INDEX unfinished_by_time ON orders (placed_at) WHERE standing NOT IN ('successful', 'partial', 'failed', 'rejected', 'refused', 'not-sent', 'lapsed');
  CREATE INDEX unfinished_by_profile ON orders (profile, placed_at) WHERE standing NOT IN ('successful', 'partial', 'failed', 'rejected', 'refused', 'not-sent', 'lapsed');
  CREATE INDEX unfinished_by_account ON orders (profile, origin) WHERE standing NOT IN ('successful', 'partial', 'failed', 'rejected', 'refused', 'not-sent', 'lapsed');

  CREATE TABLE calls (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    order_number INTEGER NOT NULL REFERENCES orders,
    operation TEXT NOT NULL CHECK (operation IN ('create', 'confirm')),
    outcome TEXT NOT NULL CHECK (outcome IN ('sending', 'not-sent', 'refused', 'done', 'unknown')),
    settled TEXT CHECK (settled IN ('took-effect', 'no-effect', 'lapsed')),
    status INTEGER,
    refusal TEXT,
    started_at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    answered_at INTEGER,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX calls_by_order ON calls (order_number);
  -- What no defect may break: one open confirmation an order.
  CREATE UNIQUE INDEX one_open_confirmation ON calls (order_number)
    WHERE operation = 'confirm' AND outcome IN ('sending', 'unknown') AND settled IS NULL;

  CREATE TABLE states (
    order_number INTEGER NOT NULL REFERENCES orders,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (order_number, at, state)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE reveals (
    number INTEGER PRIMARY KEY,
    profile TEXT NOT NULL,
    origin TEXT NOT NULL,
    order_id TEXT NOT NULL,
    skus TEXT NOT NULL,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    how TEXT NOT NULL
  ) STRICT;
`
