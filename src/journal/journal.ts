// The journal: every order placed with orderctl, recorded before a request is sent and after its response arrives.
// open-journal.ts opens one. The functions of this folder take a journal, or an access to read it.
import type { Failure } from '../errors.ts'
import type { Read, Write } from './access.ts'
import type { Calls } from './orders/calls.ts'

/** Its functions throw a Failure if the database cannot be used. */
export type Journal = Read &
  Write & {
    readonly calls: Calls
    /**
     * Why nothing may be sent with the journal: it was restored from a backup, or the account uses a different journal.
     */
    readonly conflict: Failure | undefined
    readonly close: () => Promise<void>
  }
