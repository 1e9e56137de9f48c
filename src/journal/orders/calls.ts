// Records the intent of each create and confirm before the first byte is sent, and the end of a create. The journal's
// `begin` and `end` run the transactions.
import { Failure } from '../../errors.ts'
import type { WriteAccess } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import type { Claim } from '../batches/batch.ts'
import { findLive, refuseCreate, type SlotRefusal, type Split, splitSlot } from '../batches/slot-guard.ts'
import { inOrder } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import {
  type Allowed,
  type ConfirmRefusal,
  guardConfirm,
  type ReferenceTaken,
} from '../limits/confirm-guard.ts'
import { apply, type CreateEnd } from './apply.ts'
import { type Call, type Entry, hasReference, isOpen, type Owner, type StartedCall } from './entry.ts'
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
import { applyFact, writeOrder } from './write-order.ts'
import { insertCall, insertOrder, lockReference, newCall } from './write-rows.ts'

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

type Calling = Pick<Journal, 'begin' | 'end'>

type CreateStart = StartedCall | ReferenceTaken | SlotRefusal

type ConfirmStart =
  | StartedCall
  | ConfirmRefusal
  /** An earlier confirm of this order is open. */
  | { readonly kind: 'open'; readonly call: Call }
  /** The order is known to be confirmed. */
  | { readonly kind: 'confirmed'; readonly state: string }

/** When this resolves, the intent is on disk or the order must not be created. */
export const beginCreate = (journal: Calling, intent: CreateIntent): Promise<CreateStart> =>
  journal.begin(intent.account, async (access) => {
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
    if (order === undefined) return { kind: 'slot-taken', by: claim && (await findLive(access, claim, at)) }
    const call = newCall(order, intent, { operation: 'create' })
    return start(call, reference, await insertCall(access, call))
  })

/** Returns the older orders with the same id as the new order. `split`: how to split the slot after a refusal. */
export const endCreate = async (
  journal: Calling,
  call: StartedCall,
  end: CreateEnd,
  at: number,
  split?: Split,
): Promise<Entry[]> => {
  const fact = { kind: 'create-ended', call: call.call, at, ...end } as const
  const older = await journal.end(call, fact, async (access, ended) => {
    const { found } = await inOrder({
      found: 'orderId' in end ? findOthersById(access, call.order, end.orderId) : [],
      // With the refusal, so that no other run claims the slot with the products that were refused.
      split: split && ended.then(() => splitSlot(access, split, at)),
    })
    return found
  })
  return older ?? []
}

/** When this resolves, the intent is on disk or the order must not be confirmed. */
export const beginConfirm = async (journal: Calling, intent: ConfirmIntent): Promise<ConfirmStart> => {
  for (;;) {
    const begun = await journal.begin(intent.account, (access) => tryConfirm(access, intent))
    if (begun.kind !== 'inserted') return begun
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
  return start(call, name, inserted)
}

const start = ({ id, operation, orderNumber: order, startedAt }: Call, name: string, call: number) =>
  ({ kind: 'started', operation, order, call, id, startedAt, name }) as const

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
