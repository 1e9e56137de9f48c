// Records the intent of each create and confirm before the first byte is sent, and the end of a create. In the transaction of
// the intent, it decides whether the order may be confirmed. The journal's `begin` and `end` run the transactions.

import { builtin } from '../../builtin.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { toMillionths } from '../../contract/money/decimal.ts'
import { foldReference } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import type { WriteAccess } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import { type Claim, lockBatch } from '../batches/batches.ts'
import {
  findPurchase,
  holdFor,
  listSlotOrders,
  refuseConfirm,
  refuseCreate,
  type SlotRefusal,
  type Split,
  splitSlot,
} from '../batches/slots.ts'
import { inOrder, insertOrSkip, insertRow } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import {
  findExceeded,
  isApproved,
  lockLimits,
  readApprovedCaps,
  readBudgets,
  readCommitted,
  type Use,
} from '../limits.ts'
import { calls, orders } from '../tables/orders.ts'
import { apply, type CreateEnd } from './apply.ts'
import {
  type Call,
  type Entry,
  findAllById,
  findAllByReference,
  findOthersById,
  findRival,
  hasReference,
  type LockedEntry,
  listCalls,
  lockById,
  type Owner,
  readLocked,
  type StartedCall,
  toStarted,
} from './entries.ts'
import { readRequestProducts, toProductColumns } from './products.ts'
import { isOpen } from './standings.ts'
import { applyFact, writeOrder } from './write-order.ts'

/**
 * Until the end of the transaction, no other process begins a create or confirm of this reference. A transaction of
 * SQLite locks the whole journal, so only PostgreSQL needs this row and its unique index.
 */
const lockReference = async (
  { run, dialect }: WriteAccess,
  { address }: AccountId,
  reference: string,
): Promise<void> => {
  if (dialect.name === 'sqlite') return
  await run(
    `INSERT INTO reference_locks (address, reference_fold) VALUES ($address, $fold)
     ON CONFLICT (address, reference_fold) DO UPDATE SET reference_fold = excluded.reference_fold`,
    { address, fold: foldReference(reference) },
  )
}

type InsertedOrder = Pick<Owner, 'profile' | 'origin'> &
  Pick<Entry, 'standing' | 'request' | 'webhookHost' | 'orderId'> & {
    readonly reference: string
    readonly wallet: string
    readonly at: number
    readonly allowDuplicate: boolean
    readonly claim?: Claim | undefined
  }

/** Returns its number. Undefined if its slot has a live order already. `account` is the number of its account. */
const insertOrder = (
  access: WriteAccess,
  account: number,
  order: InsertedOrder,
): Promise<number | undefined> => {
  const { profile, origin, reference, orderId, wallet, at, standing, request, webhookHost, claim } = order
  const { products, cards } = toProductColumns(readRequestProducts(request))
  const { assistant } = access.identify()
  const row = {
    ...{ account, profile, origin, reference, orderId, standing, request, wallet, products, cards },
    ...{ webhookHost, batch: claim?.batch, slot: claim?.slot, placedAt: at, changedAt: at },
    referenceFold: foldReference(reference),
    duplicate: order.allowDuplicate ? 1 : 0,
    // An order that was created elsewhere has the reference that a `get` showed.
    referenceShown: request === undefined ? 1 : 0,
    placedWith: assistant && ('mcp' as const),
    placedLimit: assistant?.maxTotal === undefined ? undefined : toMillionths(assistant.maxTotal),
  }
  return claim === undefined
    ? insertRow(access, orders, row)
    : insertOrSkip(access, orders, row, { held_until: holdFor(access.dialect, claim.holdMs.create) })
}

type NewCall = {
  readonly profile: string
  readonly at: number
  readonly until: number
  readonly accepted?: string | undefined
}

/** A call that is not in the journal yet, so it has no number. `serviceState` is the order's. */
export const newCall = (
  orderNumber: number,
  { profile: profileName, at: startedAt, until, accepted }: NewCall,
  { operation, serviceState }: Pick<Call, 'operation' | 'serviceState'>,
): Call => ({
  ...{ number: 0, id: builtin.crypto().randomUUID(), orderNumber, operation, outcome: 'sending' },
  ...{ startedAt, until, accepted, profileName, serviceState },
})

const insertCall = async (access: WriteAccess, { number: _, ...call }: Call): Promise<Call> => ({
  ...call,
  number: await insertRow(access, calls, call),
})

/** A different order uses the reference, or its confirm may have spent money. */
type ReferenceTaken = { readonly kind: 'taken'; readonly by: Entry }

type ConfirmRefusal =
  | SlotRefusal
  | ReferenceTaken
  | { readonly kind: 'over-limit'; readonly use: Use }
  | NotApproved
  /** The connection's role may only prepare orders. */
  | { readonly kind: 'prepare-only'; readonly role: string }

/** `limits`: the totals above which the account needs an approval. */
export type NotApproved = {
  readonly kind: 'not-approved'
  readonly limits: readonly string[]
  readonly known: Entry | undefined
}

type Allowance = {
  readonly kind: 'allowed'
  /** When the budgets were checked, by the database's clock. Undefined without budgets. */
  readonly reservedAt: number | undefined
}

/** `known` is the order in the journal, if it is there. The caller has locked it. */
const guardConfirm = async (
  access: WriteAccess,
  known: Entry | undefined,
  intent: ConfirmIntent,
): Promise<ConfirmRefusal | Allowance> => {
  const { account, wallet, claim, at, allowDuplicate } = intent
  const reference = known?.reference ?? intent.reference
  const isAllowed = allowDuplicate || known?.duplicate === 1
  // While the batch is locked, its other confirms wait, so one round trip locks and reads. All transactions lock orders,
  // limits, the batch and the reference, in this order, so that none waits for another that waits for it.
  const batch = known?.batch
  const { limits, cap, spent, approvedCaps, by, slotRefusal } = await inOrder({
    limits: lockLimits(access, account, wallet),
    cap: batch && lockBatch(access, batch),
    spent: batch && readCommitted(access, batch, known?.number),
    approvedCaps: batch && readApprovedCaps(access, batch),
    reference: lockReference(access, account, reference),
    by: isAllowed ? undefined : findRival(access, account, reference, known),
    slotRefusal: known && refuseConfirm(access, known, claim, at),
  })
  if (by !== undefined) return { kind: 'taken', by }
  if (slotRefusal !== undefined) return slotRefusal
  const preparing = limits.find(({ kind }) => kind === 'prepare-only')?.forRole
  if (preparing !== undefined) return { kind: 'prepare-only', role: preparing }
  const counts = findCounts(known, intent)
  const ofBatch = cap && spent && approvedCaps ? { cap: { ...cap, spent }, approvedCaps } : undefined
  const caps = ofBatch === undefined ? [] : [ofBatch.cap]
  const use = findExceeded([...caps, ...(await readBudgets(access, account, limits, known?.number))], counts)
  const above = limits.filter(({ kind }) => kind === 'approval').map(({ amount }) => amount)
  if (use?.scope !== 'batch' && !isApproved(counts, above, ofBatch))
    return { kind: 'not-approved', limits: above, known }
  return use === undefined ? { kind: 'allowed', reservedAt: limits[0]?.readAt } : { kind: 'over-limit', use }
}

/** An earlier confirm of the order may have been charged a higher total. */
const findCounts = (known: Entry | undefined, { wallet, counts }: ConfirmIntent): bigint =>
  known?.wallet === wallet && known.counts !== undefined && known.counts > counts ? known.counts : counts

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
    if (order === undefined) {
      const taken = claim && (await listSlotOrders(access, claim.batch, claim.slot))
      return { kind: 'slot-taken', by: taken && (await findPurchase(access, taken, at)) }
    }
    const call = newCall(order, intent, { operation: 'create' })
    return toStarted(await insertCall(access, call), reference)
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
    inserted: known === undefined ? findAllById(access, { account }, orderId) : [],
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
  entry: LockedEntry,
  intent: ConfirmIntent,
  { reservedAt = entry.databaseNow }: Allowance,
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
  return toStarted(inserted, name)
}

const findOpenConfirm = async (access: WriteAccess, { number, orderId }: Entry): Promise<Call> => {
  const open = (await listCalls(access, number)).find((call) => call.operation === 'confirm' && isOpen(call))
  if (open !== undefined) return open
  throw new Failure('local-state', `the order ${orderId} is damaged in the journal`, {
    fix: (suggest) => suggest`journal status`,
  })
}

/** An order that was created elsewhere. */
const insertUnknown = async (
  access: WriteAccess,
  intent: ConfirmIntent,
): Promise<LockedEntry | undefined> => {
  const account = await getOrAddAccount(access, intent.account)
  const order = { ...intent, standing: 'pending', allowDuplicate: false, claim: undefined } as const
  const number = await insertOrder(access, account, order)
  return number === undefined ? undefined : readLocked(access, number)
}

/** An order that has the reference. A batch keeps those of its orders: it buys the cards of a void order itself. */
const findHolder = async (
  access: WriteAccess,
  { account, reference, claim, at }: CreateIntent,
): Promise<Entry | undefined> => {
  const all = await findAllByReference(access, account, reference)
  const purchase = await findPurchase(access, all, at)
  return purchase ?? all.find(({ batch }) => claim === undefined && batch !== undefined)
}
