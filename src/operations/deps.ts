// What operations work with.
import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/clock.ts'
import type { Owner } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'

/** To read. */
export type Deps = { readonly api: Api; readonly clock: Clock; readonly interrupted: AbortSignal }

/** To spend: nothing is sent that the journal does not have. */
export type Spending = Deps & { readonly journal: Journal; readonly owner: Owner }

/** Of what spends, what whoever waits for it is told. */
export type Progress = {
  /** From now on an answer is waited for. */
  readonly onSending?: () => void
  /** No answer came: the order itself is asked, for a while. */
  readonly onSettling?: (reason: string) => void
}
