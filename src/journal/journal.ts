// The journal: every order placed with orderctl, recorded before a request is sent and after its response arrives.
// open-journal.ts opens one. The functions of this folder take a journal, or an access to read it.
import type { Failure } from '../errors.ts'
import type { Read, Write } from './access.ts'
import type { Split } from './batches/slot-guard.ts'
import type {
  ConfirmEnd,
  ConfirmIntent,
  ConfirmStart,
  CreateEnd,
  CreateIntent,
  CreateStart,
  StartedCall,
} from './orders/calls.ts'
import type { Entry } from './orders/entry.ts'
import type { OrderUpdate } from './orders/observations.ts'

/** Its functions throw a Failure if the database cannot be used. */
export type Journal = Read &
  Write & {
    readonly calls: Calls
    /** Why nothing may be sent with the journal: it was restored from a backup, or the account uses another one. */
    readonly conflict: Failure | undefined
    /** The accounts of the file on this machine use this journal from now on. */
    readonly adoptAccounts: () => Promise<void>
    readonly close: () => Promise<void>
  }

/** Records each create and confirm: the intent before the first byte is sent, the outcome after the response. */
export type Calls = {
  /** When this resolves, the intent is on disk or the order must not be created. */
  readonly beginCreate: (intent: CreateIntent) => Promise<CreateStart>
  /** Returns the older orders that have the same id as the new order. `split`: what follows from a refusal. */
  readonly endCreate: (call: StartedCall, end: CreateEnd, at: number, split?: Split) => Promise<Entry[]>
  /** When this resolves, the intent is on disk or the order must not be confirmed. */
  readonly beginConfirm: (intent: ConfirmIntent) => Promise<ConfirmStart>
  readonly endConfirm: (call: StartedCall, end: ConfirmEnd, at: number) => Promise<void>
  /** Records what `get` showed after a confirm without a valid response. */
  readonly recordConfirmedOrder: (call: StartedCall, update: OrderUpdate) => Promise<void>
}
