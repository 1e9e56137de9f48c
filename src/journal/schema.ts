// The schema of the journal. No column holds a key or a code.
import type { Schema } from '../sqlite/schema.ts'
import { firstTables } from './steps/step-1.ts'
import { addAccounts } from './steps/step-2.ts'
import { addBatches } from './steps/step-3.ts'
import { addTeamTables } from './steps/step-4.ts'

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to another folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  steps: [firstTables, addAccounts, addBatches, addTeamTables],
}
