// Buys the cards of one slot: takes its steps until none is left, or until the slot has to wait, and confirms its order within
// the cap. The journal decides the next step, so a first run, a run after a crash and two runs at once use the same steps.

import type { RefusedOutcome } from '../../client/api.ts'
import { decimal, formatDecimal } from '../../contract/money/decimal.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { formatUtcTime } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines, isBatchOvercharged, type SlotLine } from '../../journal/batches/batches.ts'
import { failCards } from '../../journal/batches/cards.ts'
import {
  type Grouping,
  hasCreatedOrder,
  holdOrder,
  listSlotOrders,
  readLines,
} from '../../journal/batches/slots.ts'
import { type Entry, getOrder } from '../../journal/orders/entries.ts'
import { isHolding, isNeverCreated } from '../../journal/orders/standings.ts'
import { formatProductKey } from '../../operations/batch-limits.ts'
import {
  differenceText,
  findDifferences,
  readRequestedProducts,
  refuseChanges,
} from '../../operations/compare.ts'
import { confirm } from '../../operations/confirm/confirm.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { type NewOrder, place } from '../../operations/create/place.ts'
import { guard, type Offer } from '../../operations/limits.ts'
import { readPurchaseStep, settlingMs } from '../../operations/purchase-step.ts'
import {
  createSpentFailure,
  createStrangerFailure,
  findReason,
  findRefused,
} from '../../operations/read-failures.ts'
import { reconcile } from '../../operations/reconcile.ts'
import type { Session } from '../../operations/session.ts'
import { isSameOrder } from '../../operations/view.ts'
import { judgeFailure } from './apply-end.ts'
import type { BatchRun, SlotEnd, Stage } from './batch-run.ts'
import { recordDelivery, type ShownOrder } from './delivery.ts'
import { createRowsFailure, findProductRefusal, splitRefused } from './refused-products.ts'

export const buySlot = async (run: BatchRun, slot: number, enter: SlotAttempt['enter']): Promise<SlotEnd> => {
  for (;;) {
    const end = await takeStep({ run, slot, enter }).catch((error) => judgeFailure(run, error))
    if (end !== 'next') return end
    if (run.session.interrupted.aborted) return { kind: 'interrupted' }
  }
}

const takeStep = async (attempt: SlotAttempt): Promise<SlotEnd | 'next'> => {
  const { run, slot } = attempt
  const { lines, entries, step } = await readSlot(run.session, run.batch.number, slot)
  if (lines.length === 0) return { kind: 'done' }
  switch (step.kind) {
    case 'create':
      return placeSlot(attempt, lines, entries)
    case 'confirm':
      return (await takesOver(attempt, step.entry)) ? confirmEarlier(attempt, step.entry) : { kind: 'taken' }
    case 'settle':
      return (await takesOver(attempt, step.entry)) ? reconcileEarlier(run, step.entry) : { kind: 'taken' }
    case 'wait':
    // Only a reference can be refused, never a slot.
    case 'refused':
      return { kind: 'taken' }
    // The slot still wants its cards: the confirmed order's cards are not recorded yet.
    case 'collect':
    case 'done':
      return (await takesOver(attempt, step.entry))
        ? collectCards(attempt, step.entry)
        : lookAtCards(attempt, step.entry)
  }
}

/** The cards that the slot still wants, and its purchase step. */
export const readSlot = async (
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

const collectCards = async ({ run, slot, enter }: SlotAttempt, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const sight = await run.observer.until({ orderId, entry }, ({ response, known }) => {
    // Until its charge is known, it keeps its place, so that an overcharge stops the batch before many orders are bought.
    if (response.kind === 'done' && known !== undefined && known.entry.overcharged !== 1) enter('delivering')
  })
  if (sight === undefined) return { kind: 'interrupted' }
  const { response, view } = sight
  if (response.kind !== 'done')
    return { kind: 'unknown', failure: createSpentFailure(response, orderId), isConfirmed: true }
  // A wrong response to create may have returned the id of a different slot's order, whose cards are not for this slot.
  if (!isSameOrder(entry, response.data))
    return { kind: 'unknown', failure: createStrangerFailure(entry), isConfirmed: true }
  if (!view.isFinal) {
    const problem = `the order ${orderId} is confirmed, but not final`
    return { kind: 'slow', failure: new Failure('timed-out', problem, { orderId }) }
  }
  if (findCards(response.data.redeem).length === 0) run.deliveries.record(false)
  else if (view.shortfalls.length === 0) run.deliveries.record(true)
  return recordCards(run, slot, sight.known?.entry ?? entry, { ...sight, order: response.data })
}

/** A different run confirmed the order. It waits for the cards, or was killed. */
const lookAtCards = async ({ run, slot }: SlotAttempt, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const { response, known, cards, view } = await run.observer.once({ orderId, entry })
  return response.kind === 'done' && view.isFinal
    ? recordCards(run, slot, known?.entry ?? entry, { order: response.data, cards })
    : { kind: 'waiting' }
}

const recordCards = async (
  run: BatchRun,
  slot: number,
  entry: Entry,
  shown: ShownOrder,
): Promise<SlotEnd> => {
  await recordDelivery({ ...run, ...run.session }, slot, shown)
  // The loop over the slots notices an overcharged order of a different run.
  const isOvercharged =
    entry.overcharged === 1 && (await isBatchOvercharged(run.session.journal.read, run.batch.number))
  if (isOvercharged) return { kind: 'stopped', reason: 'charge' }
  return judgeDifferences(entry, shown.order)
}

/** Only now: a new id is not read before its confirm. The order's cards are recorded, so the next run goes on. */
const judgeDifferences = (entry: Entry, order: Order): SlotEnd => {
  const differences = findDifferences(entry, order)
  if (differences.length === 0) return { kind: 'done' }
  const { orderId = '' } = entry
  const problem = `the order ${orderId} is confirmed, but differs from the order that its batch placed`
  const violations = differences.map(differenceText)
  return { kind: 'stopped', reason: new Failure('stopped', problem, { orderId, violations }) }
}

const reconcileEarlier = async ({ session, counter }: BatchRun, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { entry: now, provenAt } = await reconcile(session, entry)
  const { orderId = '' } = now
  const isSettled = now.standing === 'confirmed' || now.standing === 'pending' || !isHolding(now)
  if (isSettled) {
    counter.unknown.delete(orderId)
    return 'next'
  }
  counter.unknown.add(orderId)
  const when = provenAt === undefined ? '' : `, at the earliest at ${formatUtcTime(provenAt)}`
  const problem = `the order ${orderId} may have spent money. orderctl buys its cards again only after proof that it did not${when}`
  return { kind: 'unknown', failure: new Failure('unproven', problem, { orderId }), isConfirmed: false }
}

const placeSlot = async (
  attempt: SlotAttempt,
  lines: readonly SlotLine[],
  earlier: readonly Entry[],
): Promise<SlotEnd | 'next'> => {
  const { run, slot } = attempt
  const { session, batch } = run
  if (await failRefusedProducts(attempt, lines)) return 'next'
  await run.pace.ready(session.interrupted)
  const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: decimal(quote) }))
  const request = { productList, wallet: batch.wallet }
  const claim = createClaim(attempt, formatLines(lines))
  run.counter.hasOrder ||= await hasCreatedOrder(session.journal.read, batch.number)
  const isFirst = !run.counter.hasOrder
  /** How to split the slot after a refusal that one of its products causes. */
  const groupAfter = (refused: RefusedOutcome): Grouping | undefined => {
    const refusal = findProductRefusal(refused)
    return refusal && splitRefused(lines, refusal)
  }
  try {
    const used = new Set(earlier.filter((entry) => !isNeverCreated(entry)).map(({ reference }) => reference))
    const { order, created, offer, sameId } = await placeFrom(run, slot, used, (reference) =>
      place(session, { ...request, reference }, { claim, groupAfter }),
    )
    run.own.set(slot, order)
    run.counter.hasOrder = true
    // Wakes the loop over the slots, which waits for the first order.
    if (isFirst) attempt.enter('calling')
    // The id was used before, so the response may be an old one. The order itself must be the new one.
    if (sameId.length > 0) {
      const { differences } = await readForConfirm(session, { orderId: created.id }, { isNew: true })
      refuseChanges(created.id, differences)
    }
    return await confirmOffer(attempt, offer, claim)
  } catch (error) {
    const refused = findRefused(error, 'create')
    const refusal = refused && findProductRefusal(refused)
    if (refused === undefined || refusal === undefined) throw error
    if (groupAfter(refused) !== undefined) return 'next'
    if (isFirst && refusal === 'quote-mismatch' && error instanceof Failure)
      return { kind: 'stopped', reason: createRowsFailure(error, lines), needsNewRows: true }
    for (const line of lines) run.refused.set(formatProductKey(line), refused.message)
    return 'next'
  }
}

/** Never reuses the reference of an earlier order that was lost, nor a reference of an order outside the batch. */
const placeFrom = async (
  { batch }: BatchRun,
  slot: number,
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
const failRefusedProducts = async ({ run, slot }: SlotAttempt, lines: readonly SlotLine[]) => {
  const at = run.session.clock.now()
  let hasFailed = false
  for (const key of lines.map(formatProductKey)) {
    const said = run.refused.get(key)
    if (said === undefined) continue
    const claimed = { batch: run.batch.number, slot, at }
    const count = await failCards(
      run.session.journal,
      claimed,
      (card) => formatProductKey(card) === key,
      said,
    )
    if (count > 0) hasFailed = true
  }
  return hasFailed
}

export type SlotAttempt = {
  readonly run: BatchRun
  readonly slot: number
  /** Called when the stage of the slot changes, so that the next slot can begin. */
  readonly enter: (stage: Stage) => void
}

const createClaim = ({ run, slot }: SlotAttempt, lines: string): Claim => ({
  batch: run.batch.number,
  slot,
  lines,
  holdMs: holdMsOf(run),
})

/** For what follows a create or confirm when its time is over: the next request, or the outcome of the confirm. */
const marginMs = 15_000

const holdMsOf = ({ session: { api } }: BatchRun): Claim['holdMs'] => ({
  create: api.timeoutMs('create') + marginMs,
  confirm: api.timeoutMs('confirm') + settlingMs + marginMs,
})

/** Whether the order of a slot belongs to this run, which takes it over if no run holds it. */
const takesOver = async ({ run, slot }: SlotAttempt, { number }: Entry): Promise<boolean> => {
  const { own, session } = run
  if (own.get(slot) === number) return true
  if (!(await session.journal.write((access) => holdOrder(access, number, holdMsOf(run).create))))
    return false
  own.set(slot, number)
  return true
}

/** An order that expires sooner is not confirmed: a refused confirm would block the slot until there is proof. */
const minValidityMs = 10_000
/** After these failures, the outcome of the confirm does not count as unknown. */
const unspentKinds: readonly string[] = ['unavailable', 'credentials', 'refused', 'expired', 'not-approved']

const confirmOffer = async (
  { run, enter }: SlotAttempt,
  offer: Offer,
  claim: Claim,
): Promise<SlotEnd | 'next'> => {
  const { session, counter } = run
  const { orderId } = offer
  await run.pace.ready(session.interrupted)
  guard(offer, {}, session.serviceNow())
  if (offer.isEstimate !== true && offer.expiresAt - session.serviceNow() < minValidityMs) {
    const problem = `the order ${orderId} expires in less than 10 s; it was not confirmed`
    return { kind: 'later', ms: minValidityMs, failure: new Failure('expired', problem, { orderId }) }
  }
  try {
    await confirm(session, offer, {
      claim,
      onSending: () => void counter.unknown.add(orderId),
      onSettling: () => enter('settling'),
    })
  } catch (error) {
    if (error instanceof Failure && unspentKinds.includes(error.kind)) counter.unknown.delete(orderId)
    throw error
  }
  counter.unknown.delete(orderId)
  counter.confirmed += 1
  counter.spent = counter.spent.plus(offer.total)
  return 'next'
}

const confirmEarlier = async (attempt: SlotAttempt, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { session, pace } = attempt.run
  const { orderId = '' } = entry
  await pace.ready(session.interrupted)
  try {
    const { offer, differences } = await readForConfirm(session, { orderId, entry })
    refuseChanges(orderId, differences)
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
