// What operations work with.
import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/clock.ts'
import type { Owner } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'

/** To read. */
export type Deps = { readonly api: Api; readonly clock: Clock; readonly interrupted: AbortSignal }

/** To spend: nothing is sent that the journal does not have. */
export type Spending = Deps & { readonly journal: Journal; readonly owner: Owner }

/** What the caller of a create or confirm is told while it lasts. */
export type Progress = {
  /** The request is being sent. */
  readonly onSending?: () => void
  /** The answer was no valid success: the order is asked for, for a while. */
  readonly onSettling?: (reason: string) => void
}
