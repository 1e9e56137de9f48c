// The journal's tables, as the numbered steps that lead to them. No column holds a key or a code.
import type { Schema } from '../sqlite/schema.ts'
import { overStandings, voidStandings } from './entry.ts'
import { firstTables } from './step-1.ts'
import { addAccounts } from './step-2.ts'

const notIn = (standings: readonly string[]): string =>
  `standing NOT IN (${standings.map((each) => `'${each}'`).join(', ')})`

/** SQLite uses a partial index only if the query repeats its condition. */
export const isUnfinished = notIn(overStandings)
/** The order holds its reference. */
export const isHolding = notIn(voidStandings)

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to another folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  steps: [firstTables, addAccounts],
}
