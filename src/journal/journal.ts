// The journal: every order placed with orderctl, recorded before a request is sent and after its response arrives. This
// is what others can do with it. open-journal.ts opens one.
import type { AccountId } from '../contract/account-id.ts'
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
import type { Call, Entry, Owner } from './orders/entry.ts'
import type { Filter, Summary } from './orders/list-orders.ts'
import type { Findings, OrderUpdate } from './orders/observations.ts'
import type { Reveals } from './orders/reveals.ts'

/** Each function throws a Failure if the database cannot be used, and reports damaged rows in its result. */
export type Journal = Orders &
  Calls &
  Findings &
  Reveals &
  // For functions that few commands need.
  Read &
  Write & {
    /** A reset of the sandbox deletes its orders and batches. */
    readonly deleteOrders: (account: AccountId) => Promise<void>
    /** Why nothing may be sent with the journal: it was restored from a backup, or the account uses another one. */
    readonly conflict: Failure | undefined
    /** The accounts of the file on this machine use this journal from now on. */
    readonly adoptAccounts: () => Promise<void>
    readonly close: () => Promise<void>
  }

type OfAccount = Pick<Owner, 'account'>

/** Finds orders. Several orders come newest first. An account includes all accounts that may be the same. */
export type Orders = {
  readonly getOrder: (number: number) => Promise<Entry | undefined>
  /** The newest, if the service used the id twice. */
  readonly findOrder: (owner: OfAccount, orderId: string) => Promise<Entry | undefined>
  /** Several, if the service used the id twice, or a response to create was repeated. */
  readonly findAllById: (owner: OfAccount, orderId: string) => Promise<Entry[]>
  readonly findOnAnyAccount: (orderId: string) => Promise<Entry[]>
  /** The newest order that was created with orderctl, or may have been. In a shared journal, by the same user. */
  readonly findLast: (owner: OfAccount) => Promise<Entry | undefined>
  /** Like `findLast`, but also finds an order that was refused or never sent. */
  readonly findLastAttempt: (owner: OfAccount) => Promise<Entry | undefined>
  readonly findNewest: (owner: OfAccount, limit: number) => Promise<Entry[]>
  /** Orders that were created, or may have been. */
  readonly findByReference: (owner: OfAccount, reference: string) => Promise<Entry[]>
  /** Includes attempts that created no order. */
  readonly findAllByReference: (account: AccountId, reference: string) => Promise<Entry[]>
  /** References in use that differ from this one only in case, spaces or invisible characters. */
  readonly findSimilarReferences: (account: AccountId, reference: string) => Promise<string[]>
  /** Undefined if the account has no batch with this name or id. */
  readonly findByBatch: (owner: OfAccount, batch: string) => Promise<Entry[] | undefined>
  /** A confirm may have spent, or may still spend. */
  readonly findUnproven: (account: AccountId) => Promise<Entry[]>
  /** Orders that are expected to change. */
  readonly findUnfinished: (owner: OfAccount) => Promise<Entry[]>
  /** Counts the orders of other accounts that may have spent. */
  readonly countUnknownElsewhere: (owner: OfAccount) => Promise<Elsewhere[]>
  readonly listOrders: (filter: Filter) => Promise<Entry[]>
  /** What the filter leaves out, in one statement. `from`: counts only attempts from this moment on. */
  readonly summarizeList: (filter: Filter, from: number | undefined) => Promise<Summary>
  /** The calls of an order, the oldest first. */
  readonly listCalls: (order: number) => Promise<Call[]>
  /** Whether another process may still be waiting for the response to the create of the order. */
  readonly isCreating: (entry: Entry, at: number) => Promise<boolean>
  readonly getAccount: (number: number) => Promise<AccountId | undefined>
}

export type Elsewhere = Omit<Owner, 'account'> & { readonly count: number }

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
