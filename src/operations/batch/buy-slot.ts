// Buys the cards of one slot: takes its steps until none is left, or until the slot has to wait. The journal decides the next
// step, so a first run, a run after a crash and two runs at once use the same steps.
import { decimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines, type SlotLine } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { WantedCard } from '../../journal/batches/slot-cards.ts'
import type { Entry } from '../../journal/entry.ts'
import { isHolding, isUnprovenOrder } from '../../journal/standings.ts'
import { refuseChanges } from '../compare.ts'
import { readForConfirm } from '../confirm/read-for-confirm.ts'
import { findExpiry, hasExpired } from '../expiry.ts'
import { offerOf } from '../offer.ts'
import { isSameOrder } from '../order-update.ts'
import { place } from '../place.ts'
import { reconcile } from '../reconcile.ts'
import type { Session } from '../session.ts'
import { judgeFailure } from './apply-end.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'
import { confirmEarlier, confirmOffer } from './confirm-slot.ts'
import { recordDelivery } from './delivery.ts'
import { isProductRefusal, isSameProduct, splitRefused } from './refused-products.ts'

/** Calls `release` when the slot only waits for the outcome of a confirm, so that another slot can begin. */
export const buySlot = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd> => {
  for (;;) {
    const end = await takeStep(run, slot, release).catch((error) => judgeFailure(run, error))
    if (end !== 'next') return end
    if (run.session.interrupted.aborted) return { kind: 'interrupted' }
  }
}

const busyMs = 1_000

const takeStep = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd | 'next'> => {
  const { session, batches, batch } = run
  const step = await findNextStep({ ...session, batches }, { batch: batch.number, slot })
  switch (step.kind) {
    case 'done':
      return { kind: 'done' }
    case 'busy':
      return { kind: 'later', ms: busyMs }
    case 'create':
      return placeSlot(run, slot, { lines: step.lines, release })
    case 'confirm':
      return confirmEarlier(run, slot, { entry: step.entry, release })
    case 'collect':
      return collectCards(run, slot, step.entry)
    case 'settle':
      return settleEarlier(run, step.entry)
  }
}

const collectCards = async (run: BatchRun, slot: number, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const watched = await run.poller.untilFinal(orderId)
  switch (watched.kind) {
    case 'final':
      // A wrong response to create may have given the id of another slot's order, whose cards are not for this one.
      if (!isSameOrder(entry, watched.order))
        return { kind: 'unknown', failure: createOtherSlotFailure(entry), isConfirmed: true }
      await recordDelivery({ ...run, ...run.session }, slot, watched.order)
      if (await run.batches.isOvercharged(run.batch.number)) return { kind: 'stopped', reason: 'charge' }
      return { kind: 'done' }
    case 'stopped':
      return { kind: 'interrupted' }
    case 'lost':
      return { kind: 'unknown', failure: watched.failure, isConfirmed: true }
    case 'slow':
      return { kind: 'slow', failure: createSlowFailure(orderId, watched.state) }
  }
}

const createOtherSlotFailure = ({ orderId = '', reference = '' }: Entry): Failure =>
  new Failure('unknown', `the order ${orderId} is confirmed, but its reference is not ${reference}`, {
    orderId,
  })

const createSlowFailure = (orderId: string, state: string): Failure =>
  new Failure('timed-out', `the order ${orderId} is still ${state}`, { orderId })

const settleEarlier = async ({ session, counter }: BatchRun, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { entry: now, unproven, provenAt } = await reconcile(session, entry)
  if (now.standing === 'confirmed' || unproven === undefined) {
    counter.unknown.delete(now.orderId ?? '')
    return 'next'
  }
  counter.unknown.add(now.orderId ?? '')
  return { kind: 'unknown', failure: createUnprovenFailure(now, provenAt), isConfirmed: false }
}

const createUnprovenFailure = ({ orderId = '' }: Entry, provenAt: number | undefined): Failure => {
  const when = provenAt === undefined ? '' : `, at the earliest at ${formatUtcTime(provenAt)}`
  return new Failure(
    'unknown',
    `the order ${orderId} may have spent money. orderctl buys its cards again only after proof that it did not${when}`,
    { orderId },
  )
}

type CreateWork = { readonly lines: readonly SlotLine[]; readonly release: () => void }

const placeSlot = async (run: BatchRun, slot: number, work: CreateWork): Promise<SlotEnd | 'next'> => {
  const { session, batch } = run
  if (await failRefusedProducts(run, slot, work.lines)) return 'next'
  await run.pace.ready(session.interrupted)
  const request = await toRequest(run, slot, work.lines)
  const claim: Claim = {
    batch: batch.number,
    slot,
    lines: formatLines(work.lines),
    lease: run.leases.leaseOf(slot),
  }
  try {
    const placed = await place(session, request, { claim })
    const { created, expiresAt, reference, sameId } = placed
    // The id was used before, so the response may be an old one. The order itself must be the new one.
    if (sameId.length > 0) refuseChanges(created.id, (await readForConfirm(session, created.id)).differences)
    return await confirmOffer(run, offerOf(created, { reference, expiresAt }), {
      claim,
      release: work.release,
    })
  } catch (error) {
    if (!(error instanceof Failure) || !isProductRefusal(error)) throw error
    return splitSlot(run, slot, work.lines, error)
  }
}

/** The reference of an earlier order that was lost is not used again. */
const toRequest = async (
  { session, batch }: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
): Promise<OrderRequest> => {
  const first = `${batch.name}-${String(slot).padStart(4, '0')}`
  let reference = first
  for (let attempt = 2; await isUsed(session, reference); attempt += 1) {
    reference = `${first}-${attempt}`
  }
  const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: decimal(quote) }))
  return { productList, wallet: batch.wallet, reference }
}

const isUsed = async ({ journal, owner }: BatchRun['session'], reference: string): Promise<boolean> => {
  const orders = await journal.findByReference(owner, reference)
  return orders.length > 0
}

/** Products that were refused alone would only be refused again. Returns whether the slot had any. */
const failRefusedProducts = async (
  run: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
): Promise<boolean> => {
  const { batches, batch, refused, session } = run
  const at = session.clock.now()
  let hasFailed = false
  for (const line of lines) {
    const said = refused.find(line)
    if (said === undefined) continue
    const isSame = (card: WantedCard): boolean => isSameProduct(card, line)
    const count = await batches.failCards({ batch: batch.number, slot, at }, isSame, said)
    if (count > 0) hasFailed = true
  }
  return hasFailed
}

const splitSlot = async (
  run: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
  { details: { refusal = '', said = '' } }: Failure,
): Promise<SlotEnd | 'next'> => {
  const { batches, batch, session } = run
  const group = splitRefused(lines, refusal)
  if (group !== undefined) {
    const slots = await batches.repackSlots(batch.number, [slot], session.clock.now(), group)
    return { kind: 'split', slots }
  }
  for (const line of lines) run.refused.add(line, said)
  return 'next'
}

export type Step =
  | { readonly kind: 'done' }
  | { readonly kind: 'create'; readonly lines: readonly SlotLine[] }
  /** The order was created earlier and is not confirmed. */
  | { readonly kind: 'confirm'; readonly entry: Entry }
  /** The order is confirmed: its cards are still to be recorded. */
  | { readonly kind: 'collect'; readonly entry: Entry }
  /** A confirm may have spent. */
  | { readonly kind: 'settle'; readonly entry: Entry }
  /** A create that another worker sent before it lost the slot may still get a response. */
  | { readonly kind: 'busy' }

type StepSession = Pick<Session, 'journal' | 'clock' | 'serviceNow'> & { readonly batches: Batches }

export const findNextStep = async (
  { journal, batches, clock, serviceNow }: StepSession,
  { batch, slot }: { readonly batch: number; readonly slot: number },
): Promise<Step> => {
  const [lines, entries] = await Promise.all([
    batches.readLines(batch, slot),
    batches.listSlotOrders(batch, slot),
  ])
  if (lines.length === 0) return { kind: 'done' }
  const confirmed = entries.find(({ standing }) => standing === 'confirmed')
  if (confirmed !== undefined) return { kind: 'collect', entry: confirmed }
  const unproven = entries.find(isUnprovenOrder)
  if (unproven !== undefined) {
    // The service refused before it acted, so the order may be confirmed again until it expires.
    return unproven.standing === 'doubtful' && !hasExpired(findExpiry(unproven), serviceNow())
      ? { kind: 'confirm', entry: unproven }
      : { kind: 'settle', entry: unproven }
  }
  const created = entries.find(isHolding)
  if (created !== undefined) return { kind: 'confirm', entry: created }
  // Read after the orders, so that an order that another process has just created is not later.
  const now = clock.now()
  for (const entry of entries) if (await journal.isCreating(entry, now)) return { kind: 'busy' }
  return { kind: 'create', lines }
}
