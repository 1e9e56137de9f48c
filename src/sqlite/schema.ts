// The description of a SQLite file of orderctl: its name in messages, its tables and its migrations.
import type { DatabaseSync } from 'node:sqlite'

/** Updates a file to the next version: SQL, or a function if SQL is not enough. */
export type Step = string | ((database: DatabaseSync) => void)

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
  /** The first step creates the tables. A released step never changes. */
  readonly steps: readonly Step[]
}
