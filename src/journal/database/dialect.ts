// What differs between the SQL of SQLite and PostgreSQL.

export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Follows the name of a table: the index to read it by. PostgreSQL chooses its indexes itself. */
  readonly indexedBy: (index: string) => string
  /** Joins two tables, reading the left one first. */
  readonly orderedJoin: string
  /** Ends a SELECT: locks its rows until the end of the transaction. In SQLite, a transaction locks the database. */
  readonly forUpdate: string
  /** Like `forUpdate`, but locks only the rows of one table of a join. */
  readonly forUpdateOf: (table: string) => string
  /** Like `forUpdate`, but omits rows that another transaction has locked. */
  readonly forUpdateSkipLocked: string
  /** The time by the clock of the database, in milliseconds. */
  readonly now: string
  /** Where a text has the character, counted from 1; 0 if it does not have it. */
  readonly position: (text: string, character: string) => string
  /** The part of a text column before its first digit. */
  readonly beforeDigit: (column: string) => string
  /** The role that the server knows the connection by. NULL in SQLite. */
  readonly role: string
}
