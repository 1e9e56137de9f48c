// Version 3 of the journal's tables adds batches.

export const addBatches = `
CREATE TABLE batches (
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
  stopped TEXT CHECK (stopped IN ('cap', 'funds')),
  planned_at INTEGER NOT NULL,
  started_at INTEGER,
  changed_at INTEGER NOT NULL,
  cancelled_at INTEGER
) STRICT;
CREATE UNIQUE INDEX batches_by_name ON batches (account, name_fold);
CREATE INDEX batches_by_demand ON batches (demand);

CREATE TABLE batch_rows (
  batch INTEGER NOT NULL REFERENCES batches,
  row INTEGER NOT NULL,
  line INTEGER NOT NULL,
  sku TEXT NOT NULL,
  product_type TEXT NOT NULL,
  quote TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  -- As JSON.
  cells TEXT NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE batch_cards (
  batch INTEGER NOT NULL REFERENCES batches,
  card INTEGER NOT NULL,
  row INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('wanted', 'delivered', 'failed', 'cancelled')),
  error TEXT,
  -- The keyed hash of the code that this card got. The journal never has the code.
  hash TEXT,
  PRIMARY KEY (batch, card)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_cards_by_slot ON batch_cards (batch, slot);

ALTER TABLE orders ADD COLUMN batch INTEGER REFERENCES batches;
ALTER TABLE orders ADD COLUMN slot INTEGER;
CREATE INDEX orders_by_batch ON orders (batch, slot) WHERE batch IS NOT NULL;
CREATE INDEX confirmed_by_batch ON orders (batch, total) WHERE batch IS NOT NULL AND confirmed_at IS NOT NULL;
`
