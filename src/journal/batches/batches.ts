// What a journal can do with batches.
import type { AccountId } from '../../contract/account-id.ts'
import type { Actor } from '../actors/actors.ts'
import type { Entry } from '../entry.ts'
import type { ApprovalFacts } from './approval-guard.ts'
import type { Batch, CardCounts, SlotLine, StopReason, StoredCard, StoredRow } from './batch.ts'
import type { NewBatch, SavedBatch } from './insert-plan.ts'
import type { CardChange, Grouping, WantedCard } from './slot-cards.ts'
import type { Committed } from './slot-guard.ts'

export type Batches = Plans & Cards & Counts & Leases & Workers

/** Saves plans, finds them again, and records the start, stop and cancellation of a batch. */
export type Plans = {
  /**
   * Returns the saved batch, or the other batch that has its name. Replaces another plan of that name only if
   * `replacesPlan` is true and that plan was neither started nor cancelled.
   */
  readonly saveBatch: (batch: NewBatch, replacesPlan: boolean) => Promise<SavedBatch>
  readonly getBatch: (number: number) => Promise<Batch | undefined>
  /** By name or id. Several batches may have the same id. */
  readonly findBatches: (account: AccountId, text: string) => Promise<Batch[]>
  readonly findOnAnyAccount: (text: string) => Promise<Batch[]>
  /** Other batches with the same demand that were started since then, except those cancelled for free. */
  readonly findSameDemand: (batch: Batch, since: number) => Promise<Batch[]>
  /** Newest first. */
  readonly listBatches: (filter: { profile?: string | undefined; limit: number }) => Promise<Batch[]>
  readonly findLastBatch: (account: AccountId) => Promise<Batch | undefined>
  /** Records the consent to the cap. Returns false if the batch is cancelled. */
  readonly startBatch: (batch: Batch, start: BatchStart) => Promise<boolean>
  /** Whether an order was charged more than its total, or in another currency, since somebody last started the batch. */
  readonly isOvercharged: (number: number) => Promise<boolean>
  readonly stopBatch: (number: number, reason: StopReason, at: number) => Promise<void>
  /** After that, no order of the batch can be created or confirmed. */
  readonly cancelBatch: (number: number, at: number) => Promise<void>
}

export type BatchStart = {
  /** The cap that the user consented to. */
  readonly maxTotal: string
  readonly at: number
  /** `check` throws to refuse the start because of other batches with the same demand, started since then. */
  readonly refuseSame?:
    | { readonly since: number; readonly check: (same: readonly Batch[]) => void }
    | undefined
  /** Throws to refuse the start because the cap needs an approval. */
  readonly checkApproval?: ((facts: ApprovalFacts) => void) | undefined
}

/** The cards of batches: the slot that buys each card, and the state of the card. */
export type Cards = {
  /** The slots that want cards. */
  readonly listOpenSlots: (batch: number) => Promise<number[]>
  readonly listSlotCards: (batch: number, slot: number) => Promise<WantedCard[]>
  /** Newest first. */
  readonly listSlotOrders: (batch: number, slot: number) => Promise<Entry[]>
  readonly listRows: (batch: number) => Promise<StoredRow[]>
  /** In the order of the input. */
  readonly listCards: (batch: number) => Promise<StoredCard[]>
  /** The products that a slot still wants. */
  readonly readLines: (batch: number, slot: number) => Promise<SlotLine[]>
  /** Changes cards of a slot with a confirmed order. `decide` gets all its cards as they are now. */
  readonly settleSlot: (
    batch: number,
    slot: number,
    decide: (cards: readonly WantedCard[]) => readonly CardChange[],
  ) => Promise<readonly CardChange[]>
  /** Gives up wanted cards of a slot. Does nothing if one of its orders is live. Returns their number. */
  readonly failCards: (
    slot: { batch: number; slot: number; at: number },
    isFailed: (card: WantedCard) => boolean,
    error: string,
  ) => Promise<number>
  /** Packs the wanted cards of these slots again. Skips slots with a live order. Returns the slots in use. */
  readonly repackSlots: (
    batch: number,
    slots: readonly number[],
    at: number,
    group: Grouping,
  ) => Promise<number[]>
  /** Wants the failed cards again, in new slots. Returns their number. */
  readonly retryFailed: (batch: number, group: Grouping) => Promise<number>
  /** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
  readonly cancelWanted: (batch: number) => Promise<void>
}

/** What summaries and reports show. */
export type Counts = {
  readonly countCards: (batch: number) => Promise<CardCounts>
  readonly countRows: (batch: number) => Promise<number>
  /** Slots that were bought or may still be bought. */
  readonly countOrders: (batch: number) => Promise<number>
  /** Confirmed orders whose slot wants no more cards. */
  readonly countEnded: (batch: number) => Promise<number>
  /** Orders that are not expected to stay as they are. */
  readonly countInFlight: (batch: number) => Promise<number>
  /**
   * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose response may still
   * arrive does not count.
   */
  readonly countUnknown: (batch: number, now?: number) => Promise<number>
  /** Orders with a confirm whose outcome is unknown. */
  readonly listUnknown: (batch: number) => Promise<Entry[]>
  /** All orders, the newest first. */
  readonly listOrders: (batch: number) => Promise<Entry[]>
  /** Why cards failed or are duplicates, the most frequent error first. */
  readonly listErrors: (batch: number, limit: number) => Promise<CardError[]>
  /** For the cap: also confirms that the service refused, because a refusal is no proof. */
  readonly listCommitted: (batch: number) => Promise<Committed[]>
  /** For people: a refused confirm spent nothing so far. */
  readonly listSpent: (batch: number) => Promise<Committed[]>
}

export type CardError = { readonly error: string; readonly count: number }

/** While a worker holds the lease of a slot, no other worker creates or confirms its orders. */
export type Leases = {
  /** Makes the leases of slots that want cards and have none yet. */
  readonly addOpenSlots: (batch: number) => Promise<void>
  /** Claims slots that no worker holds, except some, after it has released others. */
  readonly claimSlots: (
    holder: Holder,
    wanted: {
      readonly count: number
      readonly leaseMs: number
      readonly release?: readonly number[]
      readonly except?: Iterable<number>
    },
  ) => Promise<HeldSlot[]>
  /** Returns the slots that the worker still holds. A lease that has expired stays lost. */
  readonly renewLeases: (holder: Pick<Holder, 'worker'>, leaseMs: number) => Promise<HeldSlot[]>
  readonly releaseSlots: (holder: Holder, slots: readonly number[]) => Promise<void>
  /** Whether another worker is buying slots, or slots are free that this worker has not given up. */
  readonly hasSlotsLeft: (holder: Holder, givenUp: Iterable<number>) => Promise<boolean>
}

export type Holder = { readonly batch: number; readonly worker: number }

/** A slot that a worker holds. The number is higher with each claim of the slot. */
export type HeldSlot = { readonly slot: number; readonly fence: number }

/** The processes that buy a batch, on one or several machines. */
export type Workers = {
  /** Returns its number. */
  readonly registerWorker: (batch: number, processId: number) => Promise<number>
  /** Releases its slots. */
  readonly endWorker: (worker: number) => Promise<void>
  /**
   * Releases the slots of workers on this machine whose process does not run any more. The others wait until their
   * leases expire. A wrong result does no harm: a worker that lost a slot finds out before it sends.
   */
  readonly releaseDeadWorkers: (worker: number, isRunning: (processId: number) => boolean) => Promise<void>
  /** Those that have not ended, the oldest first. A worker that was not seen for `lostAfterMs` is lost. */
  readonly listWorkers: (batch: number, lostAfterMs: number) => Promise<StoredWorker[]>
}

export type StoredWorker = {
  readonly number: number
  readonly processId: number
  /** Who started it. */
  readonly by?: Actor
  /** All times are those of the database. */
  readonly startedAt: number
  readonly seenAt: number
  readonly isLost: boolean
  /** The slots that it holds and that want cards. */
  readonly slots: number
  /** When its last lease ends. Undefined if it holds none. */
  readonly until?: number
}
