// The description of a SQLite file of orderctl: its name in messages, and its tables.

export type Schema = {
  /** The word for the file in messages: 'state file'. */
  readonly name: string
  /** The instruction to use another file: 'Name another state file'. */
  readonly elsewhere: string
  /** The consequence of moving the file away. Absent if the file can be replaced. */
  readonly loss?: string
  /** Reads integers as bigint, because node:sqlite throws for an integer that a double cannot hold. */
  readonly readBigInts?: boolean
  readonly applicationId: number
  /** A positive fingerprint of the tables, of 31 bits. A test compares it with them. */
  readonly version: number
  /** Creates the tables. */
  readonly createSql: () => string
}
