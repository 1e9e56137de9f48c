// Reads an order before confirm. Refuses an order that is, or may be, confirmed already, and an order that is not the
// one that was placed.

import type { Outcome } from '../../client/api.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure, interruption } from '../../errors.ts'
import { type Entry, findAllById, getOrder, isOpen } from '../../journal/orders/entries.ts'
import { findExpiry, hasExpired } from '../../journal/orders/expiry.ts'
import type { Suggest } from '../../text/suggest.ts'
import { type Difference, findDifferences } from '../compare.ts'
import { isSameOrder } from '../evidence.ts'
import { createReadFailure } from '../failures/outcome-failures.ts'
import { refuseChangesOfBatch } from '../failures/slot-failures.ts'
import { type Offer, offerFrom } from '../offer.ts'
import { type NamedOrder, observeOrder } from '../read.ts'
import { settleByResponse } from '../reconcile.ts'
import { withFacts } from '../record.ts'
import type { Session } from '../session.ts'
import { type OrderView, viewOrder } from '../view.ts'
import {
  createConfirmedFailure,
  createMistakenFailure,
  createOpenConfirmFailure,
  createUnprovenExpiryFailure,
} from './confirm-failures.ts'

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
  if (response.kind !== 'done') throw createUnreadBeforeConfirmFailure(session, orderId, response, isNew)
  const order = response.data
  const times = { now: session.clock.now(), serviceNow: response.serverTime }
  // A new order is the newest with its id, whatever the response shows.
  const before = isNew ? only : (all.find((each) => isSameOrder(each, order)) ?? only)
  if (before === undefined) {
    const view = viewOrder(known, response, { ...times, wants: 'confirmed' })
    if (view.money === 'spent') throw createConfirmedFailure(orderId, order.state)
    return { order, offer: offerFrom(order, undefined), differences: [], entry: undefined, view }
  }
  // The reference decides which order may be confirmed, so a different one cannot be accepted.
  if (!isSameOrder(before, order)) throw createMistakenFailure(before, isNew)
  const settled = await settleByResponse(session, before, response)
  const { entry, unproven, provenAt, problem } = settled
  if (problem !== undefined) throw problem
  if (entry.standing === 'confirmed') throw createConfirmedFailure(orderId, entry.state)
  const differences = findDifferences(entry, order)
  if (entry.batch !== undefined) refuseChangesOfBatch(orderId, differences)
  if (unproven !== undefined && isOpen(unproven)) throw createOpenConfirmFailure(unproven, orderId)
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
    const { response } = observed
    const isMissing = response.kind === 'refused' && response.refusal === 'order-not-found'
    if (!isNew || !isMissing || interrupted.aborted || index === delaysMs.length - 1) return observed
  }
  throw new Error('unreachable')
}

const createUnreadBeforeConfirmFailure = (
  { interrupted, owner }: Session,
  orderId: string,
  response: Exclude<Outcome<Order>, { readonly kind: 'done' }>,
  isNew: boolean,
): Failure => {
  const fix = isNew ? { fix: (suggest: Suggest) => suggest`confirm ${orderId}` } : {}
  if (interrupted.aborted)
    return interruption(interrupted, `interrupted; the order ${orderId} was not confirmed`, {
      orderId,
      ...fix,
    })
  const failure = createReadFailure(response, { orderId, origin: owner.origin })
  if (!isNew) return failure
  const { kind, message, details } = failure
  const problem = `the order ${orderId} was created but not confirmed, because it could not be read: ${message}`
  return new Failure(kind === 'credentials' ? kind : 'unavailable', problem, {
    ...details,
    advice: undefined,
    ...fix,
  })
}
