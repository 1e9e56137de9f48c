// Records each create and confirm: the intent before the first byte is sent, the outcome after the answer.
import type { DatabaseSync } from 'node:sqlite'
import { isSameReference } from '../contract/reference.ts'
import { pendingState } from '../contract/states.ts'
import type { AccountTable } from './accounts.ts'
import type { Claim } from './batches/batch.ts'
import type { Committed, SlotGuard, SlotRefusal } from './batches/slot-guard.ts'
import { type Answered, type CreatedFacts, createRowWriter } from './call-rows.ts'
import { type Call, type Entry, isOpen, isPendingCreate, journalOnlyStates, type Owner } from './entry.ts'
import type { Queries } from './queries.ts'
import type { RunTransaction, StateChanges } from './state-changes.ts'

export type StartedCall = { readonly kind: 'started'; readonly order: number; readonly call: number }

/** Another order holds the reference, or its confirm may have spent. */
type ReferenceTaken = { readonly kind: 'taken'; readonly by: Entry }

export type CreateIntent = Owner & {
  /** Allows a reference that another order holds. */
  readonly allowDuplicate: boolean
  readonly reference: string
  readonly request: string
  readonly wallet: string
  readonly at: number
  /** The deadline of the call. */
  readonly until: number
  /** For an order of a batch. */
  readonly claim?: Claim | undefined
}

export type ConfirmIntent = Omit<CreateIntent, 'request'> & {
  readonly orderId: string
  readonly total: string
  /** The differences to the placed order that the user accepted, as JSON. */
  readonly accepted?: string | undefined
  /** Whether the batch may spend this order's total besides what it has spent and may still spend. */
  readonly isWithinCap?: ((committed: readonly Committed[]) => boolean) | undefined
}

export type CreateStart = StartedCall | ReferenceTaken | SlotRefusal

export type ConfirmStart =
  | StartedCall
  | ReferenceTaken
  | SlotRefusal
  | { readonly kind: 'over-cap' }
  /** An earlier confirm of this order is open. */
  | { readonly kind: 'open'; readonly call: Call }
  /** The order is known to be confirmed. */
  | { readonly kind: 'confirmed'; readonly state: string }

export type CreateEnd =
  | (CreatedFacts & { readonly outcome: 'done' })
  | (Answered & { readonly outcome: 'not-sent' | 'refused' | 'unknown' })
  /** The answer is not as documented, but has an order id. */
  | (Answered & CreatedFacts & { readonly outcome: 'unknown' })

export type ConfirmEnd = Answered & { readonly outcome: Exclude<Call['outcome'], 'sending'> }

type Tables = {
  readonly queries: Queries
  readonly accounts: AccountTable
  readonly slots: SlotGuard
  readonly changes: Pick<StateChanges, 'setState' | 'recordState'>
}

export const createCallTable = (
  database: DatabaseSync,
  runTransaction: RunTransaction,
  { queries, accounts, slots, changes: { setState, recordState } }: Tables,
) => {
  const rows = createRowWriter(database, accounts)
  return {
    /** When this returns, the intent is on disk or the order must not be created. */
    beginCreate: (intent: CreateIntent): CreateStart =>
      runTransaction(() => {
        const { account, reference, request, allowDuplicate, claim, at } = intent
        const refusal = claim && slots.refuseCreate(claim, at)
        if (refusal !== undefined) return refusal
        const by = allowDuplicate
          ? undefined
          : (queries.findHolder(account, reference) ?? findPendingCreate(queries, intent))
        if (by !== undefined) return { kind: 'taken', by }
        const state = journalOnlyStates.unanswered
        const order = rows.insertOrder(intent, { state, duplicate: allowDuplicate, request, claim })
        return { kind: 'started', order, call: rows.insertCall(order, 'create', intent) }
      }),

    /** Returns the older orders that have the same id as the new order. */
    endCreate: ({ order, call }: StartedCall, end: CreateEnd, at: number): Entry[] =>
      runTransaction(() => {
        rows.endCall(call, end.outcome, at, end.outcome === 'done' ? {} : end)
        if (!('orderId' in end)) {
          const { refused, notSent } = journalOnlyStates
          if (end.outcome !== 'unknown') setState(order, end.outcome === 'refused' ? refused : notSent, at)
          return []
        }
        rows.setCreated(order, end)
        setState(order, pendingState, at)
        const account = accounts.getId(queries.getOrder(order)?.account ?? 0)
        return account === undefined
          ? []
          : queries.findById(account, end.orderId).filter(({ number }) => number !== order)
      }),

    /** When this returns, the intent is on disk or the order must not be confirmed. */
    beginConfirm: (intent: ConfirmIntent): ConfirmStart =>
      runTransaction(() => {
        const { account, orderId, total, at, allowDuplicate } = intent
        const all = queries.findById(account, orderId)
        const open = all.flatMap(({ number }) => queries.listCalls(number)).find(isConfirmOpen)
        if (open !== undefined) return { kind: 'open', call: open }
        // A wrong answer to create may have given the id to another entry.
        const known = all.find((each) => isSameReference(each.reference ?? '', intent.reference)) ?? all[0]
        if (known?.confirmedAt !== undefined) return { kind: 'confirmed', state: known.state }
        const by =
          allowDuplicate || known?.duplicate === 1
            ? undefined
            : queries.findRival(account, known?.reference ?? intent.reference, known?.number)
        if (by !== undefined) return { kind: 'taken', by }
        const refusal =
          allowDuplicate || known === undefined ? undefined : slots.refuseConfirm(known, intent.claim, at)
        if (refusal !== undefined) return refusal
        if (
          known?.batch !== undefined &&
          intent.isWithinCap?.(slots.listCommitted(known.batch, known.number)) === false
        ) {
          return { kind: 'over-cap' }
        }
        const order = known?.number ?? rows.insertOrder(intent, { state: pendingState, orderId })
        rows.prepareConfirm(order, total)
        setState(order, journalOnlyStates.unknown, at)
        return { kind: 'started', order, call: rows.insertCall(order, 'confirm', intent) }
      }),

    endConfirm: ({ order, call }: StartedCall, end: ConfirmEnd, at: number): void =>
      runTransaction(() => {
        rows.endCall(call, end.outcome, at, end)
        if (end.outcome === 'unknown') return
        const entry = queries.getOrder(order)
        if (end.outcome === 'done' && entry !== undefined) recordState(entry, { state: 'confirmed', at })
        else setState(order, queries.findStateBeforeConfirm(order) ?? pendingState, at)
      }),

    /** A reset of the sandbox deletes its orders and batches. */
    deleteOrders: (account: Owner['account']): void =>
      runTransaction(() => rows.deleteOrdersOf(accounts.getOrAddNumber(account))),
  }
}

/** A create of the same reference that another process may still be waiting for. */
const findPendingCreate = (queries: Queries, { account, reference, at }: CreateIntent): Entry | undefined =>
  queries
    .findAllByReference(account, reference)
    .filter(({ state }) => state === journalOnlyStates.unanswered)
    .find(({ number }) => queries.listCalls(number).some((call) => isPendingCreate(call, at)))

const isConfirmOpen = (call: Call): boolean => call.operation === 'confirm' && isOpen(call)
