// A journal that is lost with a CI job: the next job does not know the order, and buys it again.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import type { Account } from '../../../profiles/account.ts'
import { journalVariable } from '../../../profiles/account.ts'
import { endsWithJob, type JournalPlace } from './place.ts'

const stateVariable = 'ORDERCTL_STATE_DIR'

const fix =
  `Set ${journalVariable} to the address of a shared journal, ` +
  `or ${stateVariable} to a folder that is kept between jobs.`

export const refuseShortLived = (context: Context, place: JournalPlace): void => {
  if (!endsWithJob(context, place)) return
  throw new Failure(
    'local-state',
    '--idempotent needs a journal that outlives this CI job; nothing was sent',
    { field: stateVariable, fix },
  )
}

/** The sandbox spends nothing. */
export const warnOfShortLived = (context: Context, account: Account, place: JournalPlace): void => {
  if (account.kind === 'sandbox' || !endsWithJob(context, place)) return
  context.stderr.write(
    `warning: the journal of this CI job is lost when the job ends, and the same command buys again then. ${fix}\n`,
  )
}
