// The table of webhook deliveries that `orderctl listen` received, for SQLite and PostgreSQL. It has no code.

type Types = {
  /** The declaration of a primary key that the database numbers. */
  readonly number: string
  readonly integer: string
  readonly text: string
  /** Follows the columns of a table. */
  readonly table: string
}

export const addReceived = ({ number, integer, text, table }: Types): string => `
CREATE TABLE received (
  number ${number},
  account ${integer} NOT NULL REFERENCES accounts,
  -- A random id. It also names the delivery in the spool of the machine that received it, and for the target.
  receipt ${text} NOT NULL,
  -- See createDeliveryKey. NULL if nothing tells the delivery from others.
  delivery_key ${text},
  -- The id that the sender gave to the delivery.
  delivery_id ${text},
  order_id ${text} NOT NULL,
  received_at ${integer} NOT NULL,
  -- Whether the service knows the order. NULL until it has answered.
  kind ${text} CHECK (kind IN ('known', 'unknown')),
  -- The state that the service showed.
  state ${text}
) ${table};
CREATE UNIQUE INDEX received_by_receipt ON received (receipt);
CREATE UNIQUE INDEX received_once ON received (account, delivery_key) WHERE delivery_key IS NOT NULL;
CREATE INDEX received_by_time ON received (account, received_at);
CREATE INDEX received_by_order ON received (account, order_id);
CREATE INDEX unchecked_received ON received (account, number) WHERE kind IS NULL;
`
