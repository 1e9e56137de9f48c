// The tables that a team needs, for SQLite and PostgreSQL. The journal of one person has them too, mostly empty.

type Types = {
  /** The declaration of a primary key that the database numbers. */
  readonly number: string
  readonly integer: string
  readonly text: string
  /** Follows the columns of a table. */
  readonly table: string
}

/** SQL for PostgreSQL: the key of the lock that guards the rows of an account in spent_hours. */
export const createSpentKey = (account: string): string =>
  `hashtextextended('orderctl spent_hours ' || ${account}, 0)`

export const addTeams = ({ number, integer, text, table }: Types): string => `
CREATE TABLE actors (
  number ${number},
  -- The role that the database reports. NULL in SQLite.
  role ${text},
  os_user ${text} NOT NULL,
  host ${text} NOT NULL
) ${table};
CREATE UNIQUE INDEX actors_by_identity ON actors (coalesce(role, ''), os_user, host);

ALTER TABLE orders ADD COLUMN actor ${integer} REFERENCES actors;
-- When the last confirm was recorded, by the clock of the database. NULL if none may have spent.
ALTER TABLE orders ADD COLUMN reserved_at ${integer};
-- See formatProducts. NULL if the order was created elsewhere and not read yet.
ALTER TABLE orders ADD COLUMN products ${text};
-- The number of cards that the order buys, and of those that were delivered: NULL until the order is final.
ALTER TABLE orders ADD COLUMN cards ${integer};
ALTER TABLE orders ADD COLUMN delivered ${integer};
-- The total of the last invoice after the confirmation, if it differs from total.
ALTER TABLE orders ADD COLUMN charged ${text};
-- When the service last showed the state again. NULL if that was soon after changed_at, or never.
ALTER TABLE orders ADD COLUMN seen_at ${integer};
CREATE INDEX shown_by_time ON orders (placed_at) WHERE coalesce(standing, '') NOT IN ('refused', 'not-sent');
CREATE INDEX attempts_by_time ON orders (placed_at) WHERE standing IN ('refused', 'not-sent');
CREATE INDEX orders_by_actor ON orders (actor, placed_at) WHERE actor IS NOT NULL;
CREATE INDEX charged_orders ON orders (reserved_at) WHERE reserved_at IS NOT NULL;
CREATE INDEX reserved_orders ON orders (account, wallet, reserved_at, total) WHERE reserved_at IS NOT NULL;
ALTER TABLE calls ADD COLUMN actor ${integer} REFERENCES actors;
ALTER TABLE calls ADD COLUMN profile_name ${text};
ALTER TABLE reveals ADD COLUMN actor ${integer} REFERENCES actors;
CREATE INDEX reveals_by_order ON reveals (order_id);
ALTER TABLE batches ADD COLUMN actor ${integer} REFERENCES actors;
ALTER TABLE batches ADD COLUMN cancelled_by ${integer} REFERENCES actors;

CREATE TABLE limits (
  account ${integer} NOT NULL REFERENCES accounts,
  -- A budget per order or period, or the total above which a batch needs an approval.
  kind ${text} NOT NULL CHECK (kind IN ('order', 'day', 'week', 'month', 'approval')),
  currency ${text} NOT NULL,
  amount ${text} NOT NULL,
  actor ${integer} REFERENCES actors,
  set_at ${integer} NOT NULL,
  PRIMARY KEY (account, kind, currency)
) ${table};

-- For budgets: the sums of past hours with reserved orders. A missing row is added up again. The triggers on orders delete
-- the row of each hour that an order leaves, enters or changes in.
CREATE TABLE spent_hours (
  account ${integer} NOT NULL REFERENCES accounts,
  wallet ${text} NOT NULL,
  -- Since 1970.
  hour ${integer} NOT NULL,
  total ${text} NOT NULL,
  PRIMARY KEY (account, wallet, hour)
) ${table};

CREATE TABLE batch_workers (
  number ${number},
  batch ${integer} NOT NULL REFERENCES batches,
  actor ${integer} REFERENCES actors,
  process ${integer} NOT NULL,
  -- All by the clock of the database.
  started_at ${integer} NOT NULL,
  seen_at ${integer} NOT NULL,
  ended_at ${integer}
) ${table};
CREATE INDEX workers_by_batch ON batch_workers (batch);

-- The worker that may create and confirm the orders of a slot.
CREATE TABLE slot_leases (
  batch ${integer} NOT NULL REFERENCES batches,
  slot ${integer} NOT NULL,
  worker ${integer} REFERENCES batch_workers,
  -- Higher with each new worker. A worker with an older number has lost the slot.
  fence ${integer} NOT NULL,
  until ${integer} NOT NULL,
  PRIMARY KEY (batch, slot)
) ${table};
CREATE INDEX leases_by_worker ON slot_leases (worker) WHERE worker IS NOT NULL;

-- The rows that were copied from other journals.
CREATE TABLE copies (
  -- The id of the journal that the row was made in, its number there, and when it was made. The time tells apart the
  -- rows of a file and of a copy of this file that both were used.
  source ${text} NOT NULL,
  kind ${text} NOT NULL CHECK (kind IN ('order', 'reveal', 'batch')),
  number ${integer} NOT NULL,
  at ${integer} NOT NULL,
  copied_as ${integer} NOT NULL,
  PRIMARY KEY (source, kind, number, at)
) ${table};
CREATE INDEX copies_by_number ON copies (kind, copied_as);
`
