// Confirms an order: reads it first, sends the confirm once, and finds out what became of it.
import type { Outcome, RefusedOutcome, UnknownOutcome } from '../client/outcome.ts'
import { formatDecimal } from '../contract/decimal.ts'
import { findCards } from '../contract/redeem-cards.ts'
import { isRefusedBeforeActing } from '../contract/refusals.ts'
import type { ConfirmedOrder } from '../contract/schemas.ts'
import { isPastPending } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import type { ConfirmEnd, StartedCall } from '../journal/calls.ts'
import { isOpen } from '../journal/entry.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { type Difference, differencesTo } from './compare.ts'
import type { Progress, Spending } from './deps.ts'
import { expiryOf, hasExpired } from './expiry.ts'
import { unsentFailure } from './failure-of.ts'
import { type Offer, offerFrom } from './offer.ts'
import { isAbout, updateOf } from './order-update.ts'
import { interruption, readOrder, type Seen } from './read.ts'
import { settleByAnswer } from './reconcile.ts'
import { recordIntent, recordOutcome } from './record.ts'
import { type Settled, settle } from './settle.ts'
import {
  alreadyConfirmed,
  duplicateFailure,
  expiredUnproven,
  stillOpen,
  unconfirmedFailure,
} from './unproven.ts'

export type ReadForConfirm = Seen & {
  readonly offer: Offer
  /** How the order differs from the one that was placed. */
  readonly differences: readonly Difference[]
}

/** Reads an order that is to be confirmed. Throws if it is confirmed, or may be. */
export const readForConfirm = async (deps: Spending, orderId: string): Promise<ReadForConfirm> => {
  const { journal, owner } = deps
  // What is known is not asked for again: no answer could take it back.
  const known = journal.findOrder(owner, orderId)
  if (known?.confirmedAt !== undefined) throw alreadyConfirmed(orderId, known.state)
  const seen = await readOrder(deps, orderId)
  const { order, serviceTime } = seen
  // Cards are delivered for a paid order alone, whatever its state is called.
  const isPaid = isPastPending(order.state) || findCards(order.redeem).length > 0
  if (isPaid) throw alreadyConfirmed(orderId, order.state)
  if (known === undefined) return { ...seen, offer: offerFrom(order, undefined), differences: [] }
  const differences = differencesTo(known, order)
  if (!isAbout(known, order)) return { ...seen, offer: offerFrom(order, known.expiresAt), differences }
  const { entry, unproven, provenAt } = settleByAnswer(deps, known, {
    data: order,
    serverTime: seen.serverTime,
  })
  if (unproven !== undefined && isOpen(unproven)) throw stillOpen(unproven, orderId)
  if (unproven !== undefined && hasExpired(expiryOf(entry, order), serviceTime())) {
    throw expiredUnproven(entry, provenAt)
  }
  return { ...seen, offer: offerFrom(order, entry.expiresAt), differences }
}

export type ConfirmOptions = Progress & {
  readonly allowDuplicate?: boolean
  /** The differences to the placed order that somebody accepted. */
  readonly accepted?: readonly Difference[] | undefined
}

export type Confirmed = {
  /** The answer was no success, but the order is confirmed. */
  readonly notice?: string
}

/** One confirm. Resolves only if the order is certainly confirmed. */
export const confirm = async (
  deps: Spending,
  offer: Offer,
  { allowDuplicate = false, accepted = [], onSending, onSettling }: ConfirmOptions = {},
): Promise<Confirmed> => {
  const { api, clock, interrupted, journal } = deps
  const { orderId } = offer
  if (interrupted.aborted) {
    throw interruption(interrupted, 'interrupted; the order was not confirmed, and nothing was spent', {
      orderId,
    })
  }
  const begun = begin(deps, offer, { allowDuplicate, accepted })
  onSending?.()
  const outcome = await api.confirm(orderId)
  // An answer that is no success stays unknown in the journal until the order itself has been asked for.
  const isAnswer = outcome.kind === 'done' || outcome.kind === 'not-sent'
  const written = recordOutcome(() =>
    journal.endConfirm(begun, endOf(outcome, isAnswer ? outcome.kind : 'unknown'), clock.now()),
  )
  if (outcome.kind === 'done') {
    written.orThrow('unknown', `the order ${orderId} is confirmed`, orderId)
    return {}
  }
  if (outcome.kind === 'not-sent') throw written.beside(unsentFailure(outcome, orderId))
  onSettling?.(reasonOf(outcome))
  return concluded(deps, { offer, outcome, begun, written })
}

const begin = (
  { journal, owner, clock, api }: Spending,
  { orderId, reference, wallet, total }: Offer,
  { allowDuplicate, accepted }: { allowDuplicate: boolean; accepted: readonly Difference[] },
): StartedCall => {
  const at = clock.now()
  const intent = {
    ...owner,
    ...{ orderId, reference, wallet, total: formatDecimal(total), allowDuplicate },
    ...{ at, until: at + api.timeoutMs('confirm') },
    accepted: accepted.length === 0 ? undefined : JSON.stringify(accepted),
  }
  const begun = recordIntent(
    () => journal.beginConfirm(intent),
    `the order ${orderId} was not confirmed, and nothing was spent`,
    orderId,
  )
  switch (begun.kind) {
    case 'started':
      return begun
    case 'open':
      throw stillOpen(begun.call, orderId)
    case 'confirmed':
      throw alreadyConfirmed(orderId, begun.state)
    case 'taken':
      throw duplicateFailure(begun.by, { wanted: orderId })
  }
}

type Doubtful = RefusedOutcome | UnknownOutcome

type Pending = {
  readonly offer: Offer
  readonly outcome: Doubtful
  readonly begun: StartedCall
  readonly written: ReturnType<typeof recordOutcome<void>>
}

/** Asks for the order, records what it shows, and says so. */
const concluded = async (deps: Spending, pending: Pending): Promise<Confirmed> => {
  const { journal, clock } = deps
  const { offer, outcome, begun, written } = pending
  const { orderId } = offer
  // A journal that cannot be read now must not hide that the confirm was sent.
  const { result: entry } = recordOutcome(() => journal.getOrder(begun.order))
  const { status } = outcome
  const settled = await settle(deps, {
    orderId,
    isAnswered: status !== undefined,
    isRefusal: status !== undefined && (isRefusedBeforeActing(status) || status === 419),
    isSameOrder: (order) => entry === undefined || isAbout(entry, order),
  })
  if (settled.kind === 'confirmed') {
    const update = updateOf(settled.order, clock.now())
    recordOutcome(() => journal.recordOrder(begun.order, update)).orThrow(
      'unknown',
      `the order ${orderId} is confirmed`,
      orderId,
    )
    return {
      notice: `the answer to confirm was no success (${reasonOf(outcome)}), but the order is confirmed`,
    }
  }
  if (settled.kind === 'unconfirmed') {
    const ended = recordOutcome(() => journal.endConfirm(begun, endOf(outcome, 'refused'), clock.now()))
    throw ended.beside(written.beside(unconfirmedFailure(entry, outcome, { orderId, now: clock.now() })))
  }
  throw written.beside(unknownFailure(offer, outcome, settled))
}

const unknownFailure = ({ orderId }: Offer, outcome: Doubtful, { order }: Settled): Failure => {
  const state = order === undefined ? 'The order could not be read since.' : `The order is ${order.state}.`
  const { status } = outcome
  return new Failure(
    'unknown',
    `whether the order ${orderId} is confirmed is unknown: ${reasonOf(outcome)}. ${state}`,
    {
      orderId,
      fix: `Do not order again. Settle it: orderctl reconcile ${quoteShellWord(orderId)}`,
      ...(status === undefined ? {} : { status }),
    },
  )
}

const reasonOf = (outcome: Doubtful): string => {
  if (outcome.kind === 'unknown') return outcome.reason
  return outcome.message === '' ? `HTTP ${outcome.status}` : `HTTP ${outcome.status}: ${outcome.message}`
}

const endOf = (outcome: Outcome<ConfirmedOrder>, kind: ConfirmEnd['outcome']): ConfirmEnd => {
  switch (outcome.kind) {
    case 'refused':
      return { outcome: kind, status: outcome.status, refusal: outcome.refusal }
    case 'unknown':
      return { outcome: kind, status: outcome.status }
    default:
      return { outcome: kind }
  }
}
