// The journal: every order placed with orderctl, recorded before a request is sent and after its response arrives.
// file-journal.ts and shared-journal.ts open one. The functions of this folder take a journal, or an access to read it.
// Also the names of its files.

import type { AccountId } from '../contract/account-id.ts'
import type { Failure } from '../errors.ts'
import type { Read, Write, WriteAccess } from './access.ts'
import type { CallFact } from './orders/apply.ts'
import type { Call, StartedCall } from './orders/entries.ts'

/** Its functions throw a Failure if the database cannot be used. */
export type Journal = Read &
  Write & {
    /**
     * Runs the transaction that records the intent of a call. Throws if no call may begin for the account. When it
     * resolves with a started call, the intent is on disk, and this machine has noted the call.
     */
    readonly begin: <Start>(
      account: AccountId,
      work: (access: WriteAccess) => Promise<Start>,
    ) => Promise<Start>
    /**
     * Records what became of a call. `alsoDo` is work in the same transaction: it starts at once, and may wait for
     * `ended`. If a shared journal cannot be written, this machine keeps the fact, and the result is undefined.
     */
    readonly end: <Result = void>(
      call: StartedCall,
      fact: CallFact,
      alsoDo?: (access: WriteAccess, ended: Promise<void>) => Promise<Result>,
    ) => Promise<Result | undefined>
    /** Ends a create without a response if a process of this machine made it, and has ended. Returns whether it did. */
    readonly endAbandoned: (create: Call, at: number) => Promise<boolean>
    /**
     * Why nothing may be sent with the journal: it was restored from a backup, or the account uses a different journal.
     */
    readonly conflict: Failure | undefined
    readonly close: () => Promise<void>
  }

export const journalFile = 'journal.db'
export const machineFile = 'machine.db'
