// Records each create and confirm: the intent before the first byte is sent, the outcome after the response.
import type { AccountId } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import type { Access, Run, WriteAccess } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import type { Claim } from '../batches/batch.ts'
import { findLive, refuseCreate, type SlotRefusal, type Split, splitSlot } from '../batches/slot-guard.ts'
import { inOrder } from '../database/database.ts'
import {
  type Allowed,
  type ConfirmRefusal,
  guardConfirm,
  type ReferenceTaken,
} from '../limits/confirm-guard.ts'
import { apply, type ConfirmEnd, type CreateEnd, type OrderUpdate } from './apply.ts'
import { type Call, type Entry, hasReference, isOpen, type Owner } from './entry.ts'
import {
  findAllByReference,
  findById,
  findOthersById,
  isCreating,
  type Locked,
  listCalls,
  lockById,
  readLocked,
} from './queries.ts'
import { isHolding } from './standings.ts'
import { applyFact, recordEnd, writeOrder } from './write-order.ts'
import { insertCall, insertOrder, lockReference, newCall } from './write-rows.ts'

export type RecordedCall = { readonly order: number; readonly call: number }

export type StartedCall = RecordedCall & {
  readonly kind: 'started'
  readonly id: string
  readonly startedAt: number
  /** The order id, or the reference of an order without one. */
  readonly name: string
}

export const isStarted = (start: unknown): start is StartedCall =>
  (start as Partial<StartedCall> | undefined)?.kind === 'started'

export type CreateIntent = Owner & {
  /** Allows a reference that a different order holds. */
  readonly allowDuplicate: boolean
  readonly reference: string
  readonly request: string
  readonly webhookHost?: string | undefined
  readonly wallet: string
  readonly at: number
  /** The call's deadline. */
  readonly until: number
  /** For an order of a batch. */
  readonly claim?: Claim | undefined
}

export type ConfirmIntent = Omit<CreateIntent, 'request' | 'webhookHost'> & {
  readonly orderId: string
  readonly total: string
  /** What the total counts as against limits, in millionths. */
  readonly counts: bigint
  /** The differences to the placed order that the user accepted, as JSON. */
  readonly accepted?: string | undefined
}

type CreateStart = StartedCall | ReferenceTaken | SlotRefusal

type ConfirmStart =
  | StartedCall
  | ConfirmRefusal
  /** An earlier confirm of this order is open. */
  | { readonly kind: 'open'; readonly call: Call }
  /** The order is known to be confirmed. */
  | { readonly kind: 'confirmed'; readonly state: string }

/** Records each create and confirm: the intent before the first byte is sent, the outcome after the response. */
export type Calls<Begun = StartedCall> = {
  /** When this resolves, the intent is on disk or the order must not be created. */
  readonly beginCreate: (intent: CreateIntent) => Promise<CreateStart>
  /** Returns the older orders with the same id as the new order. `split`: how to split the slot after a refusal. */
  readonly endCreate: (call: Begun, end: CreateEnd, at: number, split?: Split) => Promise<Entry[]>
  /** When this resolves, the intent is on disk or the order must not be confirmed. */
  readonly beginConfirm: (intent: ConfirmIntent) => Promise<ConfirmStart>
  readonly endConfirm: (call: Begun, end: ConfirmEnd, at: number) => Promise<void>
  /** Records what `get` showed after a confirm without a valid response. */
  readonly recordConfirmedOrder: (call: Begun, update: OrderUpdate) => Promise<void>
}

/** Throws if no call may begin for the account. Runs in the transaction that records the intent. */
export type CheckBegin = (access: Access, account: AccountId) => Promise<void>

export const createCalls = (
  runTransaction: Run,
  checkBegin: CheckBegin = async () => {},
): Calls<RecordedCall> => {
  const runChecked = <Start>(
    { account }: CreateIntent | ConfirmIntent,
    begin: (access: WriteAccess) => Promise<Start>,
  ): Promise<Start> =>
    runTransaction(async (access) => {
      // The check costs no round trip.
      const { start } = await inOrder({ start: begin(access), check: checkBegin(access, account) })
      return start
    })

  return {
    beginCreate: (intent) =>
      runChecked(intent, async (access) => {
        const { account, reference, allowDuplicate, claim, at } = intent
        const { refusal, by, number } = await inOrder({
          refusal: claim && refuseCreate(access, claim, at),
          lock: lockReference(access, account, reference),
          by: allowDuplicate ? undefined : findHolder(access, intent),
          number: getOrAddAccount(access, account),
        })
        if (refusal !== undefined) return refusal
        if (by !== undefined) return { kind: 'taken', by }
        const order = await insertOrder(access, number, { ...intent, standing: 'creating' })
        // A different run has claimed the slot since refuseCreate checked it.
        if (order === undefined)
          return { kind: 'slot-taken', by: claim && (await findLive(access, claim, at)) }
        const call = await insertCall(access, newCall(order, intent, { operation: 'create' }))
        return { kind: 'started', order, ...call, startedAt: at, name: reference }
      }),

    endCreate: (call, end, at, split) =>
      runTransaction(async (access) => {
        const { older } = await inOrder({
          ended: recordEnd(access, call, { kind: 'create-ended', call: call.call, at, ...end }),
          older: 'orderId' in end ? findOthersById(access, call.order, end.orderId) : [],
        })
        // With the refusal, so that no other run claims the slot with the products that were refused.
        if (split !== undefined) await splitSlot(access, split, at)
        return older
      }),

    beginConfirm: async (intent) => {
      for (;;) {
        const start = await runChecked(intent, (access) => tryConfirm(access, intent))
        if (start.kind !== 'inserted') return start
      }
    },

    endConfirm: (call, end, at) =>
      runTransaction(async (access) => {
        await recordEnd(access, call, { kind: 'confirm-ended', call: call.call, at, ...end })
      }),

    recordConfirmedOrder: ({ order }, update) =>
      runTransaction(async (access) => {
        await applyFact(access, order, { kind: 'seen', ...update })
      }),
  }
}

/** `inserted`: a different process has inserted the order after this one searched for it. The next attempt locks it. */
const tryConfirm = async (
  access: WriteAccess,
  intent: ConfirmIntent,
): Promise<ConfirmStart | { readonly kind: 'inserted' }> => {
  const { account, orderId, at } = intent
  const all = await lockById(access, account, orderId)
  // A wrong response to create may have given the id to a different entry.
  const known = all.find((each) => hasReference(each, intent.reference)) ?? all[0]
  const { guarded, inserted } = await inOrder({
    guarded: guardConfirm(access, known, intent),
    // The guard has locked the reference: from now on, no other process inserts the order.
    inserted: known === undefined ? findById(access, account, orderId) : [],
  })
  if (inserted.length > 0) return { kind: 'inserted' }
  const confirming = all.find(({ standing }) => standing === 'confirming')
  if (confirming !== undefined) return { kind: 'open', call: await findOpenConfirm(access, confirming) }
  const confirmed = all.find(
    (each) => each.standing === 'confirmed' && (each === known || hasReference(each, intent.reference)),
  )
  if (confirmed !== undefined) return { kind: 'confirmed', state: confirmed.state }
  if (guarded.kind === 'changed' && known !== undefined)
    await applyFact(access, known.number, { kind: 'unwanted', at })
  if (guarded.kind !== 'allowed') return guarded
  const entry = known ?? (await insertUnknown(access, intent))
  return entry === undefined ? { kind: 'inserted' } : begin(access, entry, intent, guarded)
}

/** From now on, the order counts against the budgets. */
const begin = async (
  access: WriteAccess,
  entry: Locked,
  intent: ConfirmIntent,
  { reservedAt = entry.databaseNow }: Allowed,
): Promise<StartedCall> => {
  const { number: order, serviceState, databaseNow, confirms } = entry
  const { total, counts, wallet, claim, at, orderId: name } = intent
  const before = { entry, calls: confirms > 0 ? await listCalls(access, order) : [] }
  const call = newCall(order, intent, { operation: 'confirm', serviceState })
  const heldUntil = claim && databaseNow + claim.holdMs.confirm
  const fact = { kind: 'confirm-begun', call, total, counts, wallet, reservedAt, heldUntil, at } as const
  // A trigger of the call reads what the order counts as.
  const { inserted } = await inOrder({
    order: writeOrder(access, before, apply(before, fact, databaseNow)),
    inserted: insertCall(access, call),
  })
  return { kind: 'started', order, ...inserted, startedAt: at, name }
}

const findOpenConfirm = async (access: WriteAccess, { number, orderId }: Entry): Promise<Call> => {
  const open = (await listCalls(access, number)).find((call) => call.operation === 'confirm' && isOpen(call))
  if (open !== undefined) return open
  throw new Failure('local-state', `the order ${orderId} is damaged in the journal`, {
    fix: (suggest) => suggest`journal status`,
  })
}

/** An order that was created elsewhere. */
const insertUnknown = async (access: WriteAccess, intent: ConfirmIntent): Promise<Locked | undefined> => {
  const account = await getOrAddAccount(access, intent.account)
  const order = { ...intent, standing: 'pending', allowDuplicate: false, claim: undefined } as const
  const number = await insertOrder(access, account, order)
  return number === undefined ? undefined : readLocked(access, number)
}

/**
 * An order that holds the reference, or a create of it that a different process may still be waiting for. A batch keeps
 * the references of its orders: it buys the cards of a void order itself.
 */
const findHolder = async (
  access: WriteAccess,
  { account, reference, claim, at }: CreateIntent,
): Promise<Entry | undefined> => {
  const all = await findAllByReference(access, account, reference)
  const holder = all.find(isHolding)
  if (holder !== undefined) return holder
  for (const entry of all) {
    if (entry.standing !== 'creating') continue
    if (await isCreating(access, entry, at)) return entry
    // A late response may have ended its create meanwhile.
    const now = await applyFact(access, entry.number, { kind: 'lost', at })
    if (now !== undefined && isHolding(now.entry)) return now.entry
  }
  return all.find(({ batch }) => claim === undefined && batch !== undefined)
}
