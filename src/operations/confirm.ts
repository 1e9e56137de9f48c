// Reads an order before its confirm: refuses an order that is, or may be, confirmed already, and an order that is not the
// one that was placed. Then sends confirm once, and determines the outcome. After a response that was not a valid success,
// asks for the order repeatedly, and records the response that settles the confirm.

import type { DoneOutcome, Outcome, RefusedOutcome, UnknownOutcome } from '../client/api.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import { isRefusedBeforeActing } from '../contract/refusals.ts'
import type { ConfirmedOrder, Order } from '../contract/schemas.ts'
import { formatSafeTime, within } from '../contract/time.ts'
import { Failure, type Fix, interruption } from '../errors.ts'
import { type CallFact, type ConfirmEnd, toUnsent } from '../journal/orders/apply.ts'
import { beginConfirm, type ConfirmIntent } from '../journal/orders/calls.ts'
import {
  type Entry,
  findAllById,
  getOrder,
  type Known,
  readKnown,
  type StartedCall,
} from '../journal/orders/entries.ts'
import {
  estimateProofTime,
  findExpiry,
  hasExpired,
  isOpen,
  maxIntentAgeMs,
  type Times,
} from '../journal/orders/standings.ts'
import type { Suggest } from '../text/suggest.ts'
import { createPreparingFailure, createUnapprovedOrderFailure } from './approval.ts'
import {
  type CallProgress,
  type OutcomeRecord,
  type Session,
  tryToRecord,
  withFacts,
} from './dependencies.ts'
import {
  addMoney,
  createClaimFailure,
  createConfirmedFailure,
  createDuplicateFailure,
  createLateFailure,
  createOpenConfirmFailure,
  createReadFailure,
  createSlotTakenFailure,
  createStrangerFailure,
  createUnconfirmedFailure,
  createUnreadFailure,
  createUnsentFailure,
  describeProof,
} from './failures.ts'
import {
  countOffer,
  createOverLimitFailure,
  type Difference,
  findDifferences,
  type Offer,
  offerFrom,
  refuseChanges,
} from './offer.ts'
import { settlingMs } from './purchase-step.ts'
import { type NamedOrder, observeOrder, recordResponse, requestUnrecorded, toOrderUpdate } from './read.ts'
import { applyProof } from './reconcile.ts'
import {
  isForgotten,
  isSameOrder,
  type OrderView,
  provesPayment,
  type Sight,
  showsNoConfirm,
  viewOrder,
} from './view.ts'

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
const newOrderDelaysMs = [0, 1_000, 2_000, 5_000, 10_000]

const observe = async (session: Session, order: NamedOrder, isNew: boolean) => {
  const { clock, interrupted } = session
  const startedAt = clock.monotonic()
  for (const [index, ms] of newOrderDelaysMs.entries()) {
    const wait = ms - (clock.monotonic() - startedAt)
    if (wait > 0) await clock.sleep(wait, interrupted)
    const observed = await observeOrder(session, order, interrupted)
    const isLast = interrupted.aborted || index === newOrderDelaysMs.length - 1
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

export type ConfirmSettings = CallProgress & {
  readonly allowDuplicate?: boolean
  readonly accepted?: readonly Difference[] | undefined
  /** For an order that its batch confirms. */
  readonly claim?: ConfirmIntent['claim']
}

/**
 * Sends one confirm. Resolves only if the order is certainly confirmed: to a notice if the response was not a valid success.
 */
export const confirm = async (
  session: Session,
  offer: Offer,
  options: ConfirmSettings = {},
): Promise<string | undefined> => {
  const { api, clock, interrupted, journal } = session
  const { orderId } = offer
  if (interrupted.aborted) {
    const problem = `interrupted; the order ${orderId} was not confirmed`
    throw interruption(interrupted, problem, { orderId })
  }
  const begun = await recordConfirm(session, offer, options)
  // If the transaction waited, or the machine slept, a person may have settled the call meanwhile.
  if (clock.now() - begun.startedAt > maxIntentAgeMs) {
    const unsent = await tryToRecord(() => journal.end(begun, toUnsent(begun)))
    throw unsent.addTo(createLateFailure(orderId))
  }
  options.onSending?.()
  const outcome = await api.confirm(orderId)
  // Any other response is recorded as unknown until `get` settles it.
  const isCertain = outcome.kind === 'done' || outcome.kind === 'not-sent'
  const written = await tryToRecord(() =>
    journal.end(begun, toEnd(begun, outcome, isCertain ? outcome.kind : 'unknown', clock.now())),
  )
  if (outcome.kind === 'done') {
    written.orThrow('unknown', `the order ${orderId} is confirmed`, orderId)
    return undefined
  }
  if (outcome.kind === 'not-sent') {
    // A second create would be refused. A batch confirms its orders itself.
    const fix: Fix | undefined = options.claim ? undefined : (suggest) => suggest`confirm ${orderId}`
    const context = { orderId, origin: session.owner.origin, fix }
    throw written.addTo(createUnsentFailure(outcome, context, 'The confirm was not sent.'))
  }
  options.onSettling?.(describeReason(outcome))
  return askForOutcome(session, offer, { outcome, begun, written })
}

const recordConfirm = async (
  { journal, owner, clock, api }: Session,
  offer: Offer,
  { allowDuplicate = false, accepted = [], claim }: ConfirmSettings,
): Promise<StartedCall> => {
  const { orderId, reference, wallet, total } = offer
  const at = clock.now()
  const intent: ConfirmIntent = {
    ...owner,
    ...{ orderId, reference, wallet, allowDuplicate, claim, at },
    total: formatDecimal(total),
    until: at + api.timeoutMs('confirm'),
    counts: countOffer(offer),
    accepted: accepted.length === 0 ? undefined : JSON.stringify(accepted),
  }
  const facts = `the order ${orderId} was not confirmed`
  const begun = await withFacts(facts, () => beginConfirm(journal, intent), orderId)
  switch (begun.kind) {
    case 'started':
      return begun
    case 'open':
      throw createOpenConfirmFailure(begun.call, orderId)
    case 'confirmed':
      throw createConfirmedFailure(orderId, begun.state)
    case 'taken':
      throw createDuplicateFailure(begun.by, { wanted: orderId })
    case 'slot-taken':
      throw createSlotTakenFailure(begun.by, orderId)
    case 'over-limit':
      throw createOverLimitFailure(offer, begun.use, owner.profile)
    case 'prepare-only':
      throw createPreparingFailure(begun.role, {
        ...{ orderId, outcome: facts },
        write: (suggest) => suggest`confirm ${orderId}`,
      })
    case 'not-approved':
      throw createUnapprovedOrderFailure(offer, begun)
    default:
      throw createClaimFailure(begun.kind, `the order ${orderId} was not confirmed`, orderId)
  }
}

/** A response that does not show whether the order is confirmed. */
type UnclearOutcome = RefusedOutcome | UnknownOutcome
type UnclearCall = {
  readonly outcome: UnclearOutcome
  readonly begun: StartedCall
  readonly written: OutcomeRecord<void>
}

/** Reads the order and records its state. Throws unless the order is confirmed. */
const askForOutcome = async (
  session: Session,
  offer: Offer,
  { outcome, begun, written }: UnclearCall,
): Promise<string | undefined> => {
  const { journal, clock } = session
  const { orderId } = offer
  // A journal that became unreadable must not hide that the confirm was sent.
  const known = await readKnown(journal.read, begun.order).catch(() => undefined)
  const { kind, response } = await findOutcome(session, offer, known, outcome.status)
  const recorded = await tryToRecord(async () => {
    const at = clock.now()
    if (kind === 'confirmed') {
      const shown = toOrderUpdate(known?.entry ?? offer, response, known, { at })
      await journal.end(begun, { kind: 'seen', ...shown })
    }
    if (kind === 'unconfirmed') await journal.end(begun, toEnd(begun, outcome, 'refused', at))
  })
  const times = { now: clock.now(), serviceNow: response?.serverTime ?? outcome.serverTime }
  // Records the order's cards and charge.
  const now = response && (await recordResponse(session, { orderId, entry: known?.entry }, response)).known
  if (kind === 'confirmed') {
    recorded.orThrow('unknown', `the order ${orderId} is confirmed`, orderId)
    return `no valid response to confirm (${describeReason(outcome)}), but the order is confirmed`
  }
  throw recorded.addTo(
    written.addTo(
      kind === 'unconfirmed'
        ? createUnconfirmedFailure(now?.entry ?? known?.entry, outcome, { orderId, ...times })
        : createUnknownFailure(now?.entry ?? known?.entry, outcome, {
            ...{ orderId, ...times, isShown: response !== undefined },
          }),
    ),
  )
}

/** Delays after the response arrived or was lost. */
const settlingDelaysMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]

type ProvenOutcome =
  /**
   * Confirmed by this confirm or a different confirm of the order. 'unconfirmed': the service refused, and the order is
   * not confirmed so far.
   */
  | { readonly kind: 'confirmed' | 'unconfirmed'; readonly response: DoneOutcome<Order> }
  | { readonly kind: 'unknown'; readonly response?: DoneOutcome<Order> | undefined }

/**
 * Asks for the order until a response shows the outcome. The caller records that response. `known`: the order as it was
 * when its confirm began, undefined if the journal became unreadable. `status`: of the response to the confirm.
 */
const findOutcome = (
  session: Pick<Session, 'api' | 'clock' | 'interrupted'>,
  { orderId, reference }: Offer,
  known: Known | undefined,
  status: number | undefined,
): Promise<ProvenOutcome> =>
  within(session.clock, settlingMs, session.interrupted, async (signal) => {
    const { clock } = session
    const startedAt = clock.monotonic()
    const isRefusal = status !== undefined && (isRefusedBeforeActing(status) || status === 419)
    let last: DoneOutcome<Order> | undefined
    // If a response arrived, the first `get` needs no delay.
    for (const ms of status === undefined ? settlingDelaysMs : [0, ...settlingDelaysMs]) {
      const wait = ms - (clock.monotonic() - startedAt)
      if (wait > 0) await clock.sleep(wait, signal)
      if (signal.aborted) break
      const response = await requestUnrecorded(session, orderId, signal)
      if (response.kind !== 'done' || !isSameOrder(known?.entry ?? { reference }, response.data)) continue
      last = response
      if (provesPayment(response.data, known)) return { kind: 'confirmed', response }
      if (isRefusal && showsNoConfirm(response)) return { kind: 'unconfirmed', response }
    }
    return { kind: 'unknown', response: last }
  })

const createUnknownFailure = (
  entry: Entry | undefined,
  outcome: UnclearOutcome,
  { orderId, isShown, ...times }: Times & { readonly orderId: string; readonly isShown: boolean },
): Failure => {
  const read = isShown ? 'get does not show it confirmed so far.' : 'The order could not be read afterwards.'
  const why = `${describeReason(outcome)}. ${read}`
  return new Failure('unproven', `the outcome of confirming the order ${orderId} is unknown: ${why}`, {
    orderId,
    safeFrom: formatSafeTime(entry && estimateProofTime(entry, times)),
    fix: (suggest) => suggest`reconcile ${orderId}`,
    advice: 'Do not order again.',
    status: outcome.status,
  })
}

const describeReason = (outcome: UnclearOutcome): string => {
  if (outcome.kind === 'unknown') return outcome.reason
  return outcome.message === '' ? `HTTP ${outcome.status}` : `HTTP ${outcome.status}: ${outcome.message}`
}

const toEnd = (
  { call }: StartedCall,
  outcome: Outcome<ConfirmedOrder>,
  kind: ConfirmEnd['outcome'],
  at: number,
): CallFact => ({
  kind: 'confirm-ended',
  ...{ call, at, outcome: kind },
  status: 'status' in outcome ? outcome.status : undefined,
  refusal: outcome.kind === 'refused' ? outcome.refusal : undefined,
})
