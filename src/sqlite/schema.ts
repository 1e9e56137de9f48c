// What a SQLite file of orderctl is: its name in messages, its tables, and how one version becomes the next.
import type { DatabaseSync } from 'node:sqlite'

/** Takes a file from one version to the next: SQL, or a function for what SQL cannot express. */
export type Step = string | ((database: DatabaseSync) => void)

export type Schema = {
  /** The word for the file in messages: 'state file'. */
  readonly name: string
  /** How to use another file: 'Name another state file'. */
  readonly elsewhere: string
  /** What happens if the file is moved away; for a file that must not be replaced lightly. */
  readonly loss?: string
  /** Integers are read as bigint. Otherwise, node:sqlite throws for a row with one that a double cannot hold. */
  readonly readBigInts?: boolean
  readonly applicationId: number
  /** The first step creates the tables. No step is ever changed. */
  readonly steps: readonly Step[]
}
