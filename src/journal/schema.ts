// The schema of the journal. No column holds a key or a code.
import type { Schema } from '../sqlite/schema.ts'
import { finishedStates, neverCreatedStates, voidStates } from './entry.ts'
import { firstTables } from './steps/step-1.ts'
import { addAccounts } from './steps/step-2.ts'
import { addBatches } from './steps/step-3.ts'
import { addTeamTables } from './steps/step-4.ts'

const quoteStates = (states: readonly string[]): string => states.map((each) => `'${each}'`).join(', ')
const createNotIn = (states: readonly string[]): string => `standing NOT IN (${quoteStates(states)})`

/** The condition of the partial indexes. SQLite uses them only if the query repeats it. */
export const unfinishedCondition = createNotIn(finishedStates)
/** Selects the orders that hold their references. */
export const holdingCondition = createNotIn(voidStates)

/** Selects the orders that were created, or may have been. */
export const createdCondition = createNotIn(neverCreatedStates)

/** Includes an order whose state is damaged. */
export const shownCondition = `coalesce(standing, '') NOT IN (${quoteStates(neverCreatedStates)})`
export const attemptCondition = `standing IN (${quoteStates(neverCreatedStates)})`

/** See isUnproven. */
export const unprovenCondition = `operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused')`

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to another folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  steps: [firstTables, addAccounts, addBatches, addTeamTables],
}
