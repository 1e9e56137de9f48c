// Records each create and confirm: the intent before the first byte is sent, the outcome after the answer.
import { isSameReference } from '../contract/reference.ts'
import { pendingState } from '../contract/states.ts'
import type { Claim } from './batches/batch.ts'
import type { SlotRefusal } from './batches/slot-guard.ts'
import type { Answered, CreatedFacts } from './call-rows.ts'
import type { Statements } from './database/database.ts'
import { deleteOrdersOf } from './delete-orders.ts'
import {
  type Call,
  type Entry,
  isOpen,
  isPendingCreate,
  isVoid,
  journalOnlyStates,
  type Owner,
} from './entry.ts'
import {
  type ConfirmChecks,
  type ConfirmRefusal,
  guardConfirm,
  type ReferenceTaken,
} from './limits/confirm-guard.ts'
import type { OrderWithCalls } from './orders-with-calls.ts'
import type { Queries } from './queries.ts'
import type { OrderUpdate } from './state-writer.ts'
import type { RunTransaction, Tables } from './tables.ts'

export type StartedCall = { readonly kind: 'started'; readonly order: number; readonly call: number }

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

export type ConfirmIntent = Omit<CreateIntent, 'request'> &
  ConfirmChecks & {
    readonly orderId: string
    readonly total: string
    /** The differences to the placed order that the user accepted, as JSON. */
    readonly accepted?: string | undefined
  }

export type CreateStart = StartedCall | ReferenceTaken | SlotRefusal

export type ConfirmStart =
  | StartedCall
  | ConfirmRefusal
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

export type CallTable = ReturnType<typeof createCallTable>

/** Throws if no call may begin. Runs in the transaction that records the intent. */
export type CheckBegin = (statements: Statements) => Promise<void>

/**
 * PostgreSQL gets the statements of a `Promise.all` in one round trip, and runs them in this order. Each of them sees
 * what was committed before it began, so a lock also protects the statements after it.
 */
export const createCallTable = (runTransaction: RunTransaction, checkBegin: CheckBegin = async () => {}) => ({
  /** When this resolves, the intent is on disk or the order must not be created. */
  beginCreate: (intent: CreateIntent): Promise<CreateStart> =>
    runChecked(runTransaction, checkBegin, async ({ accounts, queries, rows, slots }) => {
      const { account, reference, request, allowDuplicate, claim, at } = intent
      const [refusal, , by, number] = await Promise.all([
        claim && slots.refuseCreate(claim, at),
        rows.lockReference(account, reference),
        allowDuplicate ? undefined : findHolder(queries, intent),
        accounts.getOrAddNumber(account),
      ])
      if (refusal !== undefined) return refusal
      if (by !== undefined) return { kind: 'taken', by }
      const state = journalOnlyStates.unanswered
      const order = await rows.insertOrder(
        { ...intent, account: number },
        { state, duplicate: allowDuplicate, request, claim },
      )
      return { kind: 'started', order, call: await rows.insertCall(order, 'create', intent) }
    }),

  /** Returns the older orders that have the same id as the new order. */
  endCreate: ({ order, call }: StartedCall, end: CreateEnd, at: number): Promise<Entry[]> =>
    runTransaction(async ({ queries, rows, states }) => {
      const created = 'orderId' in end ? end : undefined
      const state = findStateAfterCreate(end)
      const [, , , , older = []] = await Promise.all([
        queries.lockOrder(order),
        rows.endCall(call, end.outcome, at, end.outcome === 'done' ? {} : end),
        created && rows.setCreated(order, created),
        state && states.setState(order, state, at),
        created && queries.findOthersById(order, created.orderId),
      ])
      return older
    }),

  /** When this resolves, the intent is on disk or the order must not be confirmed. */
  beginConfirm: async (intent: ConfirmIntent): Promise<ConfirmStart> => {
    for (;;) {
      const start = await runChecked(runTransaction, checkBegin, (tables) => tryConfirm(tables, intent))
      if (start.kind !== 'inserted') return start
    }
  },

  endConfirm: ({ order, call }: StartedCall, end: ConfirmEnd, at: number): Promise<void> =>
    runTransaction(async ({ queries, rows, states }) => {
      const [entry] = await Promise.all([queries.lockOrder(order), rows.endCall(call, end.outcome, at, end)])
      if (end.outcome === 'unknown') return
      if (end.outcome === 'not-sent') await states.releaseBudget(order)
      if (end.outcome === 'done' && entry !== undefined)
        await states.recordState(entry, { state: 'confirmed', at })
      else await states.setState(order, (await queries.findStateBeforeConfirm(order)) ?? pendingState, at)
    }),

  /** Records what `get` showed after a confirm without a valid answer. */
  endConfirmByOrder: ({ order }: StartedCall, update: OrderUpdate): Promise<void> =>
    runTransaction(async ({ queries, states }) => {
      const entry = await queries.lockOrder(order)
      if (entry !== undefined) await states.recordUpdate(entry, update)
    }),

  /** A reset of the sandbox deletes its orders and batches. */
  deleteOrders: (account: Owner['account']): Promise<void> =>
    runTransaction(async ({ accounts, statements }) =>
      deleteOrdersOf(statements, await accounts.getOrAddNumber(account)),
    ),
})

const runChecked = <Start>(
  runTransaction: RunTransaction,
  checkBegin: CheckBegin,
  begin: (tables: Tables) => Promise<Start>,
): Promise<Start> =>
  runTransaction(async (tables) => {
    // Together: the check costs no round trip.
    const [start] = await Promise.all([begin(tables), checkBegin(tables.statements)])
    return start
  })

/** `inserted`: another process has inserted the order after this one looked for it. The next attempt locks it. */
const tryConfirm = async (
  tables: Tables,
  intent: ConfirmIntent,
): Promise<ConfirmStart | { readonly kind: 'inserted' }> => {
  const { queries, rows, states } = tables
  const { account, orderId, at } = intent
  const all = await queries.lockById(account, orderId)
  // A wrong answer to create may have given the id to another entry.
  const known = all.find((each) => isSameReference(each.reference ?? '', intent.reference)) ?? all[0]
  const [guarded, inserted, ...calls] = await Promise.all([
    guardConfirm(tables, known, intent),
    // The guard has locked the reference: from now on, nobody else inserts the order.
    known === undefined ? queries.findById(account, orderId) : [],
    ...all.map(({ number }) => queries.listCalls(number)),
  ])
  if (inserted.length > 0) return { kind: 'inserted' }
  const open = calls.flat().find(isConfirmOpen)
  if (open !== undefined) return { kind: 'open', call: open }
  if (known?.confirmedAt !== undefined) return { kind: 'confirmed', state: known.state }
  if (guarded.kind !== 'allowed') return guarded
  const order = known?.number ?? (await insertUnknown(tables, intent))
  const [call] = await Promise.all([
    rows.insertCall(order, 'confirm', intent),
    rows.prepareConfirm(order, { ...intent, reservedAt: guarded.reservedAt }),
    states.setState(order, journalOnlyStates.unknown, at),
  ])
  return { kind: 'started', order, call }
}

/** An order that was created elsewhere. */
const insertUnknown = async ({ accounts, rows }: Tables, intent: ConfirmIntent): Promise<number> => {
  const account = await accounts.getOrAddNumber(intent.account)
  return rows.insertOrder({ ...intent, account }, { state: pendingState, orderId: intent.orderId })
}

/**
 * An order that holds the reference, or a create of it that another process may still be waiting for. A batch keeps the
 * references of its orders: it buys the cards of a void order itself.
 */
const findHolder = async (
  { findAllWithCalls }: Queries,
  { account, reference, claim, at }: CreateIntent,
): Promise<Entry | undefined> => {
  const all = await findAllWithCalls(account, reference)
  const isPending = ({ entry, calls }: OrderWithCalls): boolean =>
    entry.state === journalOnlyStates.unanswered && calls.some((call) => isPendingCreate(call, at))
  const isOfBatch = ({ entry }: OrderWithCalls): boolean => claim === undefined && entry.batch !== undefined
  return (all.find(({ entry }) => !isVoid(entry.state)) ?? all.find(isPending) ?? all.find(isOfBatch))?.entry
}

/** Undefined if the order keeps its state. */
const findStateAfterCreate = (end: CreateEnd): string | undefined => {
  if ('orderId' in end) return pendingState
  if (end.outcome === 'unknown') return undefined
  return end.outcome === 'refused' ? journalOnlyStates.refused : journalOnlyStates.notSent
}

const isConfirmOpen = (call: Call): boolean => call.operation === 'confirm' && isOpen(call)
