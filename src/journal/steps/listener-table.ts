// The table of processes that receive webhooks, for SQLite and PostgreSQL.

type Types = {
  readonly integer: string
  /** Follows the columns of the table. */
  readonly table: string
}

export const addListeners = ({ integer, table }: Types): string => `
CREATE TABLE listeners (
  account ${integer} NOT NULL REFERENCES accounts,
  actor ${integer} NOT NULL REFERENCES actors,
  process ${integer} NOT NULL,
  -- By the clock of the database.
  seen_at ${integer} NOT NULL,
  PRIMARY KEY (account, actor, process)
) ${table};
`
