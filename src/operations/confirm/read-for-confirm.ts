// Reads an order before confirm. Refuses an order that is, or may be, confirmed already, and an order that is not the one that
// was placed.

import type { Outcome } from '../../client/api.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure, interruption } from '../../errors.ts'
import { type Entry, findAllById, getOrder } from '../../journal/orders/entries.ts'
import { findExpiry, hasExpired, isOpen } from '../../journal/orders/standings.ts'
import type { Suggest } from '../../text/suggest.ts'
import { type Difference, findDifferences, refuseChanges } from '../compare.ts'
import { type Session, withFacts } from '../dependencies.ts'
import {
  addMoney,
  createReadFailure,
  createStrangerFailure,
  createUnreadFailure,
  describeProof,
} from '../failures.ts'
import { type Offer, offerFrom } from '../offer.ts'
import { type NamedOrder, observeOrder } from '../read.ts'
import { applyProof } from '../reconcile.ts'
import { createConfirmedFailure, createOpenConfirmFailure } from '../send-failures.ts'
import { isForgotten, isSameOrder, type OrderView, type Sight, viewOrder } from '../view.ts'

export type ReadForConfirm = {
  readonly order: Order
  readonly offer: Offer
  /** How the order differs from the one that was placed. */
  readonly differences: readonly Difference[]
  /** Undefined if the order is not in the journal. */
  readonly entry: Entry | undefined
  readonly view: OrderView
}

/** `isNew`: this run has just created it, so 'not found' means 'not found yet'. */
type Options = { readonly isNew?: boolean }

export const readForConfirm = (
  session: Session,
  order: NamedOrder,
  options: Options = {},
): Promise<ReadForConfirm> =>
  withFacts(`the order ${order.orderId} was not confirmed`, () => readUnconfirmed(session, order, options))

const readUnconfirmed = async (
  session: Session,
  named: NamedOrder,
  { isNew = false }: Options,
): Promise<ReadForConfirm> => {
  const { journal, owner } = session
  const { orderId } = named
  // No response can revoke a confirmation that is in the journal.
  const all =
    named.entry === undefined
      ? await findAllById(journal.read, owner, orderId)
      : [await getOrder(journal.read, named.entry.number)].filter((each) => each !== undefined)
  const [only] = all
  if (all.length === 1 && only?.standing === 'confirmed') throw createConfirmedFailure(orderId, only.state)
  const { known, response } = await observe(session, named, isNew)
  const times = { now: session.clock.now(), serviceNow: response.serverTime }
  if (response.kind !== 'done') {
    const sight = { known, response, view: viewOrder(known, response, { ...times, wants: 'confirmed' }) }
    throw createUnreadBeforeConfirmFailure(session, orderId, sight, isNew)
  }
  const order = response.data
  // A new order is the newest with its id, whatever the response shows.
  const before = isNew ? only : (all.find((each) => isSameOrder(each, order)) ?? only)
  if (before === undefined) {
    const view = viewOrder(known, response, { ...times, wants: 'confirmed' })
    if (view.money === 'spent') throw createConfirmedFailure(orderId, order.state)
    return { order, offer: offerFrom(order, undefined), differences: [], entry: undefined, view }
  }
  // The reference decides which order may be confirmed, so a different one cannot be accepted.
  if (!isSameOrder(before, order)) throw createMistakenFailure(before, isNew)
  const settled = await applyProof(session, before, response)
  const { entry, unproven, provenAt, problem } = settled
  if (problem !== undefined) throw problem
  if (entry.standing === 'confirmed') throw createConfirmedFailure(orderId, entry.state)
  const differences = findDifferences(entry, order)
  if (entry.batch !== undefined) refuseChanges(orderId, differences, true)
  if (unproven !== undefined && isOpen(unproven)) throw createOpenConfirmFailure(unproven, orderId, provenAt)
  if (unproven !== undefined && hasExpired(entry, times)) throw createUnprovenExpiryFailure(entry, provenAt)
  // The expiry of an order that was created elsewhere is a guess.
  const isKnown = response.serverTime !== undefined && entry.request !== undefined
  const expiresAt = isKnown ? findExpiry(entry) : undefined
  const view = viewOrder(settled, response, { ...times, wants: 'confirmed' })
  return { order, offer: offerFrom(order, expiresAt), differences, entry, view }
}

/** When a new order is asked for again, since the first response. */
const delaysMs = [0, 1_000, 2_000, 5_000, 10_000]

const observe = async (session: Session, order: NamedOrder, isNew: boolean) => {
  const { clock, interrupted } = session
  const startedAt = clock.monotonic()
  for (const [index, ms] of delaysMs.entries()) {
    const wait = ms - (clock.monotonic() - startedAt)
    if (wait > 0) await clock.sleep(wait, interrupted)
    const observed = await observeOrder(session, order, interrupted)
    const isLast = interrupted.aborted || index === delaysMs.length - 1
    if (!isNew || !isForgotten(observed.response) || isLast) return observed
  }
  throw new Error('unreachable')
}

const createUnreadBeforeConfirmFailure = (
  { interrupted, owner }: Session,
  orderId: string,
  sight: Sight & { readonly response: Exclude<Outcome<Order>, { readonly kind: 'done' }> },
  isNew: boolean,
): Failure => {
  const fix = isNew ? { fix: (suggest: Suggest) => suggest`confirm ${orderId}` } : {}
  if (interrupted.aborted)
    return interruption(interrupted, `interrupted; the order ${orderId} was not confirmed`, {
      orderId,
      ...fix,
    })
  const failure = createReadFailure(sight.response, { orderId, origin: owner.origin })
  if (!isNew)
    return sight.view.reading === 'forgotten'
      ? createUnreadFailure(sight, orderId, owner.origin)
      : addMoney(failure, sight)
  const { kind, message, details } = failure
  const problem = `the order ${orderId} was created but not confirmed, because it could not be read: ${message}`
  return new Failure(kind === 'credentials' ? kind : 'unavailable', problem, {
    ...details,
    advice: undefined,
    // The service may find it later.
    retryable: details.retryable === true || isForgotten(sight.response),
    ...fix,
  })
}

/** The service shows a different order under its id. `isNew`: the response to its create belonged to that order. */
const createMistakenFailure = (entry: Entry, isNew: boolean): Failure => {
  if (!isNew) return createStrangerFailure(entry)
  const { orderId = '', reference = '' } = entry
  const problem = `the response to create has the id ${orderId}, but the reference of that order is not ${reference}; nothing was confirmed`
  return new Failure('unavailable', problem, {
    orderId,
    advice: 'A proxy may have repeated the response to a different create. Run the command again.',
    retryable: true,
  })
}

/** The order expired, but one of its confirms is unproven. */
const createUnprovenExpiryFailure = (entry: Entry, provenAt: number | undefined): Failure => {
  const { orderId = '', standing } = entry
  const [exit, known] =
    standing === 'doubtful'
      ? (['expired', 'a refusal of its confirm is no proof'] as const)
      : (['unproven', 'its confirm may have spent money'] as const)
  const problem = `the order ${orderId} has expired, but ${known}`
  return new Failure(exit, problem, describeProof(orderId, provenAt))
}
