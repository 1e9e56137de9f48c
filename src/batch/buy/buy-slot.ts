// Buys the cards of one slot: takes its steps until none is left, or until the slot has to wait, and confirms its order within
// the cap. The journal decides the next step, so a first run, a run after a crash and two runs at once use the same steps. Splits
// an order that the service refused because of one product, until it finds the product.

import type { RefusedOutcome } from '../../client/api.ts'
import { decimal, formatDecimal } from '../../contract/money/decimal.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { isVerbatim, type RefusalKind } from '../../contract/refusals.ts'
import type { Order } from '../../contract/schemas.ts'
import { formatSafeTime } from '../../contract/time.ts'
import { Failure, joinAdvice } from '../../errors.ts'
import {
  type Batch,
  type Claim,
  formatLines,
  hasCreatedOrder,
  isBatchOvercharged,
  type SlotLine,
} from '../../journal/batches/batches.ts'
import { failCards } from '../../journal/batches/cards.ts'
import {
  type Grouping,
  holdOrder,
  listSlotOrders,
  readLines,
  type WantedCard,
} from '../../journal/batches/slots.ts'
import { type Entry, getOrder } from '../../journal/orders/entries.ts'
import { isHolding, isNeverCreated } from '../../journal/orders/standings.ts'
import { formatProductKey } from '../../operations/batch-limits.ts'
import { confirm, readForConfirm } from '../../operations/confirm.ts'
import { type NewOrder, place } from '../../operations/create.ts'
import type { Session } from '../../operations/dependencies.ts'
import {
  createSpentFailure,
  createStrangerFailure,
  findReason,
  findRefused,
} from '../../operations/failures.ts'
import type { Observer } from '../../operations/observe.ts'
import {
  differenceText,
  findDifferences,
  guard,
  type Offer,
  readRequestedProducts,
} from '../../operations/offer.ts'
import type { Pace } from '../../operations/pace.ts'
import { readPurchaseStep, settlingMs } from '../../operations/purchase-step.ts'
import { reconcile } from '../../operations/reconcile.ts'
import { isSameOrder } from '../../operations/view.ts'
import { recordDelivery, type ShownOrder } from './collect-cards.ts'
import {
  type BatchQueue,
  countConfirmed,
  judgeFailure,
  recordResult,
  type SlotEnd,
  type Stage,
} from './queue.ts'

export type BatchRun = {
  readonly session: Session
  readonly batch: Batch
  readonly pace: Pace
  readonly observer: Observer
  readonly queue: BatchQueue
}

type SlotAttempt = BatchRun & {
  readonly slot: number
  /** Called when the stage of the slot changes, so that the next slot can begin. */
  readonly enter: (stage: Stage) => void
}

export const buySlot = async (attempt: SlotAttempt): Promise<SlotEnd> => {
  const { interrupted } = attempt.session
  for (;;) {
    const end = await takeStep(attempt).catch((error): SlotEnd => {
      if (!(error instanceof Failure)) throw error
      return { kind: judgeFailure(error, interrupted.aborted), failure: error }
    })
    if (end !== 'next') return end
    if (interrupted.aborted) return { kind: 'interrupted' }
  }
}

const takeStep = async (attempt: SlotAttempt): Promise<SlotEnd | 'next'> => {
  const { lines, entries, step } = await readSlotStep(attempt.session, attempt.batch.number, attempt.slot)
  if (lines.length === 0) return { kind: 'bought' }
  if (step.kind === 'create') return placeSlot(attempt, lines, entries)
  // Only a reference can be refused, never a slot.
  if (step.kind === 'wait' || step.kind === 'refused') return { kind: 'slot-taken' }
  const isOwn = await takesOver(attempt, step.entry)
  switch (step.kind) {
    case 'confirm':
      return isOwn ? confirmEarlier(attempt, step.entry) : { kind: 'slot-taken' }
    case 'settle':
      return isOwn ? settleEarlier(attempt, step.entry) : { kind: 'slot-taken' }
    // The slot still wants its cards: the confirmed order's cards are not recorded yet.
    case 'collect':
    case 'done':
      return isOwn ? waitForCards(attempt, step.entry) : lookAtCards(attempt, step.entry)
  }
}

/** The cards that the slot still wants, and its purchase step. */
export const readSlotStep = async (
  session: Pick<Session, 'journal' | 'clock' | 'serviceNow'>,
  batch: number,
  slot: number,
) => {
  const [lines, entries] = await Promise.all([
    readLines(session.journal.read, batch, slot),
    listSlotOrders(session.journal.read, batch, slot),
  ])
  return { lines, entries, step: await readPurchaseStep(session, entries, 'slot') }
}

const waitForCards = async (attempt: SlotAttempt, entry: Entry): Promise<SlotEnd> => {
  const { observer, queue, enter } = attempt
  const { orderId = '' } = entry
  const sight = await observer.until({ orderId, entry }, ({ response, known }) => {
    // Until its charge is known, it keeps its place, so that an overcharge stops the batch before many orders are bought.
    if (response.kind === 'done' && known !== undefined && known.entry.overcharged !== 1) enter('waiting')
  })
  if (sight === undefined) return { kind: 'interrupted' }
  const { response, view } = sight
  if (response.kind !== 'done') return { kind: 'unread', failure: createSpentFailure(response, orderId) }
  // A wrong response to create may have returned the id of a different slot's order, whose cards are not for this slot.
  if (!isSameOrder(entry, response.data)) return { kind: 'unread', failure: createStrangerFailure(entry) }
  if (!view.isFinal) {
    const problem = `the order ${orderId} is confirmed, but not final`
    return { kind: 'slow', failure: new Failure('timed-out', problem, { orderId }) }
  }
  if (findCards(response.data.redeem).length === 0) recordResult(queue, false)
  else if (view.shortfalls.length === 0) recordResult(queue, true)
  return recordCards(attempt, sight.known?.entry ?? entry, { ...sight, order: response.data })
}

/** A different run confirmed the order. It waits for the cards, or was killed. */
const lookAtCards = async (attempt: SlotAttempt, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const { response, known, cards, view } = await attempt.observer.once({ orderId, entry })
  return response.kind === 'done' && view.isFinal
    ? recordCards(attempt, known?.entry ?? entry, { order: response.data, known, cards })
    : { kind: 'elsewhere' }
}

const recordCards = async (
  { session, batch, slot }: SlotAttempt,
  entry: Entry,
  shown: ShownOrder,
): Promise<SlotEnd> => {
  await recordDelivery({ ...session, batch }, slot, shown)
  // The loop over the slots notices an overcharged order of a different run.
  return entry.overcharged === 1 && (await isBatchOvercharged(session.journal.read, batch.number))
    ? { kind: 'overcharged' }
    : judgeDifferences(entry, shown.order)
}

/** Only now: a new id is not read before its confirm. The order's cards are recorded, so the next run goes on. */
const judgeDifferences = (entry: Entry, order: Order): SlotEnd => {
  const differences = findDifferences(entry, order)
  if (differences.length === 0) return { kind: 'bought' }
  const { orderId = '' } = entry
  const problem = `the order ${orderId} is confirmed, but differs from the order that its batch placed`
  const violations = differences.map(differenceText)
  return { kind: 'error', failure: new Failure('stopped', problem, { orderId, violations }) }
}

const settleEarlier = async ({ session, queue }: SlotAttempt, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { entry: now, provenAt } = await reconcile(session, entry)
  const { orderId = '' } = now
  const isCertain = now.standing === 'confirmed' || now.standing === 'pending' || !isHolding(now)
  if (isCertain) {
    queue.unknown.delete(orderId)
    return 'next'
  }
  queue.unknown.add(orderId)
  const safeFrom = formatSafeTime(provenAt)
  const when = safeFrom === undefined ? '' : `, at the earliest at ${safeFrom}`
  const problem = `the order ${orderId} may have spent money. orderctl buys its cards again only after proof that it did not${when}`
  return { kind: 'still-unknown', failure: new Failure('unproven', problem, { orderId, safeFrom }) }
}

const placeSlot = async (
  attempt: SlotAttempt,
  lines: readonly SlotLine[],
  earlier: readonly Entry[],
): Promise<SlotEnd | 'next'> => {
  const { session, batch, slot, pace, queue } = attempt
  if (await failRefusedProducts(attempt, lines)) return 'next'
  await pace.ready(session.interrupted)
  const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: decimal(quote) }))
  const request = { productList, wallet: batch.wallet }
  const claim = createClaim(attempt, formatLines(lines))
  queue.hasOrder ||= await hasCreatedOrder(session.journal.read, batch.number)
  const isFirst = !queue.hasOrder
  /** How to split the slot after a refusal that one of its products causes. */
  const groupAfter = (refused: RefusedOutcome): Grouping | undefined => {
    const refusal = findProductRefusal(refused)
    return refusal && splitRefused(lines, refusal)
  }
  try {
    const used = new Set(earlier.filter((entry) => !isNeverCreated(entry)).map(({ reference }) => reference))
    const { order, created, offer, sameId } = await placeFrom(attempt, used, (reference) =>
      place(session, { ...request, reference }, { claim, groupAfter }),
    )
    queue.own.set(slot, order)
    queue.hasOrder = true
    // Wakes the loop over the slots, which waits for the first order.
    if (isFirst) attempt.enter('calling')
    // The id was used before, so the response may be an old one. The order itself must be the new one.
    if (sameId.length > 0) await readForConfirm(session, { orderId: created.id }, { isNew: true })
    return await confirmOffer(attempt, offer, claim)
  } catch (error) {
    const refused = findRefused(error, 'create')
    const refusal = refused && findProductRefusal(refused)
    if (refused === undefined || refusal === undefined) throw error
    if (groupAfter(refused) !== undefined) return 'next'
    if (isFirst && refusal === 'quote-mismatch' && error instanceof Failure)
      return { kind: 'wrong-rows', failure: createRowsFailure(error, lines) }
    for (const line of lines) queue.refused.set(formatProductKey(line), refused.message)
    return 'next'
  }
}

/** Never reuses the reference of an earlier order that was lost, nor a reference of an order outside the batch. */
const placeFrom = async (
  { batch, slot }: SlotAttempt,
  used: ReadonlySet<string | undefined>,
  placeAs: (reference: string) => Promise<NewOrder>,
): Promise<NewOrder> => {
  const name = `${batch.name}-${String(slot).padStart(4, '0')}`
  for (let number = 1; ; number += 1) {
    const reference = number === 1 ? name : `${name}-${number}`
    if (used.has(reference)) continue
    try {
      return await placeAs(reference)
    } catch (error) {
      if (findReason(error) !== 'reference-used') throw error
    }
  }
}

/** Products that were refused alone would only be refused again. Returns whether the slot had any. */
const failRefusedProducts = async (
  { session, batch, slot, queue }: SlotAttempt,
  lines: readonly SlotLine[],
) => {
  const claimed = { batch: batch.number, slot, at: session.clock.now() }
  let hasFailed = false
  for (const key of lines.map(formatProductKey)) {
    const said = queue.refused.get(key)
    if (said === undefined) continue
    const isOfProduct = (card: WantedCard): boolean => formatProductKey(card) === key
    const count = await failCards(session.journal, claimed, isOfProduct, said)
    if (count > 0) hasFailed = true
  }
  return hasFailed
}

const createClaim = ({ batch, slot, session }: SlotAttempt, lines: string): Claim => ({
  batch: batch.number,
  slot,
  lines,
  holdMs: holdMsOf(session),
})

/** For what follows a create or confirm when its time is over: the next request, or the outcome of the confirm. */
const marginMs = 15_000

const holdMsOf = ({ api }: Session): Claim['holdMs'] => ({
  create: api.timeoutMs('create') + marginMs,
  confirm: api.timeoutMs('confirm') + settlingMs + marginMs,
})

/** Whether the order of a slot belongs to this run, which takes it over if no run holds it. */
const takesOver = async ({ session, slot, queue: { own } }: SlotAttempt, { number }: Entry) => {
  if (own.get(slot) === number) return true
  if (!(await session.journal.write((access) => holdOrder(access, number, holdMsOf(session).create))))
    return false
  own.set(slot, number)
  return true
}

/** An order that expires sooner is not confirmed: a refused confirm would block the slot until there is proof. */
const minValidityMs = 10_000
/** After these failures, the outcome of the confirm does not count as unknown. */
const unspentKinds: readonly string[] = ['unavailable', 'credentials', 'refused', 'expired', 'not-approved']

const confirmOffer = async (
  { session, pace, queue, enter }: SlotAttempt,
  offer: Offer,
  claim: Claim,
): Promise<SlotEnd | 'next'> => {
  const { orderId } = offer
  await pace.ready(session.interrupted)
  guard(offer, {}, session.serviceNow())
  if (offer.isEstimate !== true && offer.expiresAt - session.serviceNow() < minValidityMs) {
    const problem = `the order ${orderId} expires in less than 10 s; it was not confirmed`
    return { kind: 'expires-soon', failure: new Failure('expired', problem, { orderId }) }
  }
  try {
    await confirm(session, offer, {
      claim,
      onSending: () => void queue.unknown.add(orderId),
      onSettling: () => enter('settling'),
    })
  } catch (error) {
    if (error instanceof Failure && unspentKinds.includes(error.kind)) queue.unknown.delete(orderId)
    throw error
  }
  queue.unknown.delete(orderId)
  countConfirmed(queue, offer.total)
  return 'next'
}

const confirmEarlier = async (attempt: SlotAttempt, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { session, pace } = attempt
  const { orderId = '' } = entry
  await pace.ready(session.interrupted)
  try {
    const { offer } = await readForConfirm(session, { orderId, entry })
    // A request that cannot be read matches no lines.
    const ordered = readRequestedProducts(entry) ?? []
    const lines = formatLines(ordered.map((line) => ({ ...line, quote: formatDecimal(line.quote) })))
    return await confirmOffer(attempt, offer, createClaim(attempt, lines))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The order may have expired, or the service may have forgotten it: then the slot is free again.
    const { entry: now } = await reconcile(
      session,
      (await getOrder(session.journal.read, entry.number)) ?? entry,
    )
    if (now.standing === 'confirmed' || !isHolding(now)) return 'next'
    throw error
  }
}

/** Refusals of a create that one product can cause. The service does not say which. */
const productRefusals: ReadonlySet<RefusalKind> = new Set([
  'product-not-found',
  'quote-mismatch',
  'quote-out-of-range',
  'out-of-stock',
  'exchange-unsupported',
  // The service may have lower limits than it documents.
  'list-too-big',
])

/** Refusals that fewer cards of the same product may avoid. */
const quantityRefusals: ReadonlySet<RefusalKind> = new Set(['out-of-stock', 'list-too-big'])

/** A different message with the same status may come from a proxy or a wrong base URL. */
const findProductRefusal = ({ refusal, message }: RefusedOutcome): RefusalKind | undefined =>
  refusal !== undefined && productRefusals.has(refusal) && isVerbatim(refusal, message) ? refusal : undefined

/** Before any order of a batch is created: the type is probably wrong in all rows, so no card fails. */
const createRowsFailure = ({ message, details }: Failure, lines: readonly SlotLine[]): Failure =>
  new Failure('refused', message, {
    ...details,
    violations: lines.map(({ sku, quote, productType }) => `${sku} at ${quote}, type ${productType}`),
    advice: joinAdvice(
      details.advice,
      'In a file, the type is in the column productType. Correct the rows, then plan them again under the same name.',
    ),
  })

/** How to split a refused slot into two. Undefined if it is a single product that cannot be bought. */
const splitRefused = (lines: readonly SlotLine[], refusal: RefusalKind): Grouping | undefined => {
  const [first, ...others] = lines
  if (others.length > 0) {
    const half = new Set(lines.slice(0, Math.floor(lines.length / 2)).map(formatProductKey))
    return (cards) => cards.map((card) => (half.has(formatProductKey(card)) ? 0 : 1))
  }
  if (first === undefined || first.quantity === 1 || !quantityRefusals.has(refusal)) return undefined
  return (cards) => cards.map((_, index) => (index < Math.floor(cards.length / 2) ? 0 : 1))
}
