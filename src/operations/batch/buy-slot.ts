// Buys the cards of one slot: creates its order, confirms it, waits until it is final, and records its cards.
import { decimal, formatDecimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines, type SlotLine, type StopReason } from '../../journal/batches/batch.ts'
import type { WantedCard } from '../../journal/batches/card-table.ts'
import { type Entry, isVoid } from '../../journal/entry.ts'
import { readRequestedProducts } from '../../journal/requested-products.ts'
import { refuseChanges } from '../compare.ts'
import { confirm, readForConfirm } from '../confirm.ts'
import { guard, type Offer, offerOf } from '../offer.ts'
import { isSameOrder } from '../order-update.ts'
import { place } from '../place.ts'
import { reconcile } from '../reconcile.ts'
import type { BatchRun } from './batch-run.ts'
import { recordDelivery } from './delivery.ts'
import { findNextStep } from './next-step.ts'
import { isProductRefusal, isSameProduct, splitRefused } from './refused-products.ts'
import { addCommitted } from './summary.ts'

export type SlotEnd =
  | { readonly kind: 'done' }
  /** Look at the slot again after this time. */
  | { readonly kind: 'later'; readonly ms: number; readonly failure?: Failure }
  /** A confirm may have spent, or a confirmed order cannot be read. */
  | { readonly kind: 'unknown'; readonly failure?: Failure }
  /** The slot was refused and split: these slots buy its cards now. */
  | { readonly kind: 'split'; readonly slots: readonly number[] }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'stopped'; readonly reason: StopReason | Failure }

/** `release` is called when the slot only waits for the outcome of a confirm, so that another slot can begin. */
export const buySlot = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd> => {
  for (;;) {
    const end = await takeStep(run, slot, release).catch((error) => judgeFailure(run, error))
    if (end !== 'next') return end
    if (run.deps.interrupted.aborted) return { kind: 'interrupted' }
  }
}

const busyMs = 1_000

const takeStep = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd | 'next'> => {
  const { deps, batches, batch } = run
  const moment = { now: deps.clock.now(), serviceNow: deps.serviceNow() }
  const isOwn = ({ orderId = '' }: Entry) => run.own.has(orderId)
  const step = findNextStep({ journal: deps.journal, batches }, { batch: batch.number, slot }, moment, isOwn)
  switch (step.kind) {
    case 'done':
      return { kind: 'done' }
    case 'busy':
      return { kind: 'later', ms: busyMs }
    case 'create':
      return createOrder(run, slot, { lines: step.lines, release })
    case 'confirm':
      return confirmEarlier(run, slot, { entry: step.entry, release })
    case 'collect':
      return collectCards(run, slot, step.entry)
    case 'settle':
      return settleEarlier(run, step.entry)
  }
}

type CreateWork = { readonly lines: readonly SlotLine[]; readonly release: () => void }

const createOrder = async (run: BatchRun, slot: number, work: CreateWork): Promise<SlotEnd | 'next'> => {
  const { deps, batch } = run
  if (failRefusedProducts(run, slot, work.lines)) return 'next'
  await run.pace.ready(deps.interrupted)
  const request = toRequest(run, slot, work.lines)
  const claim: Claim = { batch: batch.number, slot, lines: formatLines(work.lines) }
  try {
    const placed = await place(deps, request, { claim })
    const { created, expiresAt, reference, sameId } = placed
    run.own.add(created.id)
    // The id was used before, so the answer may be an old one. The order itself must be the new one.
    if (sameId.length > 0) refuseChanges(created.id, (await readForConfirm(deps, created.id)).differences)
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
const toRequest = ({ deps, batch }: BatchRun, slot: number, lines: readonly SlotLine[]): OrderRequest => {
  const first = `${batch.name}-${String(slot).padStart(4, '0')}`
  let reference = first
  for (let attempt = 2; deps.journal.findByReference(deps.owner, reference).length > 0; attempt += 1) {
    reference = `${first}-${attempt}`
  }
  const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: decimal(quote) }))
  return { productList, wallet: batch.wallet, reference }
}

/** Products that were refused alone would only be refused again. Returns whether the slot had any. */
const failRefusedProducts = (run: BatchRun, slot: number, lines: readonly SlotLine[]): boolean => {
  const { batches, batch, refused, deps } = run
  const at = deps.clock.now()
  const failed = lines.map((line) => {
    const said = refused.find(line)
    const isSame = (card: WantedCard): boolean => isSameProduct(card, line)
    return said !== undefined && batches.failCards({ batch: batch.number, slot, at }, isSame, said) > 0
  })
  return failed.includes(true)
}

const splitSlot = (
  run: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
  { details: { refusal = '', said = '' } }: Failure,
): SlotEnd | 'next' => {
  const { batches, batch, deps } = run
  const group = splitRefused(lines, refusal)
  if (group !== undefined) {
    return { kind: 'split', slots: batches.repackSlots(batch.number, [slot], deps.clock.now(), group) }
  }
  for (const line of lines) run.refused.add(line, said)
  return 'next'
}

type ConfirmWork = { readonly claim: Claim; readonly release: () => void }

/** An order that expires sooner is not confirmed: a refused confirm would block the slot until there is proof. */
const minValidityMs = 10_000

const confirmOffer = async (
  run: BatchRun,
  offer: Offer,
  { claim, release }: ConfirmWork,
): Promise<SlotEnd | 'next'> => {
  const { deps, cap } = run
  await run.pace.ready(deps.interrupted)
  guard(offer, {}, deps.serviceNow())
  if (offer.expiresAt - deps.serviceNow() < minValidityMs)
    return { kind: 'later', ms: minValidityMs, failure: createTooLateFailure(offer) }
  await confirm(deps, offer, {
    batch: { claim, isWithinCap: (committed) => addCommitted(committed).plus(offer.total).lte(cap) },
    onSettling: release,
  })
  run.counter.confirmed += 1
  return 'next'
}

const createTooLateFailure = ({ orderId }: Offer): Failure =>
  new Failure('expired', `the order ${orderId} expires in less than 10 s; it was not confirmed`, { orderId })

type EarlierOrder = { readonly entry: Entry; readonly release: () => void }

const confirmEarlier = async (
  run: BatchRun,
  slot: number,
  { entry, release }: EarlierOrder,
): Promise<SlotEnd | 'next'> => {
  const { deps, batch } = run
  const { orderId = '' } = entry
  run.own.add(orderId)
  await run.pace.ready(deps.interrupted)
  try {
    const { offer, differences } = await readForConfirm(deps, orderId)
    refuseChanges(orderId, differences)
    const claim = { batch: batch.number, slot, lines: readOrderedLines(entry) }
    return await confirmOffer(run, offer, { claim, release })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The order may have expired, or the service may have forgotten it: then the slot is free again.
    const { entry: now } = await reconcile(deps, deps.journal.getOrder(entry.number) ?? entry)
    if (now.confirmedAt !== undefined || isVoid(now.state)) return 'next'
    throw error
  }
}

/** A request that cannot be read matches no lines. */
const readOrderedLines = (entry: Entry): string =>
  formatLines(
    (readRequestedProducts(entry) ?? []).map(({ quote, ...line }) => ({
      ...line,
      quote: formatDecimal(quote),
    })),
  )

const collectCards = async (run: BatchRun, slot: number, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const watched = await run.poller.untilFinal(orderId)
  switch (watched.kind) {
    case 'final':
      // A wrong answer to create may have given the id of another slot's order, whose cards are not for this one.
      if (!isSameOrder(entry, watched.order))
        return { kind: 'unknown', failure: createOtherSlotFailure(entry) }
      await run.deps.journal.write(() => recordDelivery(run.batches, run.batch, slot, watched.order))
      run.own.delete(orderId)
      return { kind: 'done' }
    case 'stopped':
      return { kind: 'interrupted' }
    case 'lost':
      return { kind: 'unknown', failure: watched.failure }
  }
}

const createOtherSlotFailure = ({ orderId = '', reference = '' }: Entry): Failure =>
  new Failure('unknown', `the order ${orderId} is confirmed, but its reference is not ${reference}`, {
    orderId,
  })

const settleEarlier = async (run: BatchRun, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { deps } = run
  const { entry: now, unproven } = await reconcile(deps, entry)
  return now.confirmedAt !== undefined || unproven === undefined ? 'next' : { kind: 'unknown' }
}

const shortWaitMs = 1_000
const longWaitMs = 5_000

const judgeFailure = ({ deps }: BatchRun, error: unknown): SlotEnd => {
  if (!(error instanceof Failure)) throw error
  switch (error.kind) {
    case 'interrupted':
    case 'terminated':
      return { kind: 'interrupted' }
    case 'stopped':
      return { kind: 'stopped', reason: 'cap' }
    case 'unknown':
      return deps.interrupted.aborted ? { kind: 'interrupted' } : { kind: 'unknown', failure: error }
    case 'duplicate':
      return { kind: 'later', ms: shortWaitMs, failure: error }
    // The pace has recorded it, and waits longer each time.
    case 'unavailable':
      return { kind: 'later', ms: 0, failure: error }
    case 'expired':
      return { kind: 'later', ms: longWaitMs, failure: error }
    case 'refused':
      return judgeRefusal(error)
    default:
      return { kind: 'stopped', reason: error }
  }
}

const judgeRefusal = (failure: Failure): SlotEnd => {
  const { refusal, status, orderId } = failure.details
  if (refusal === 'insufficient-funds') return { kind: 'stopped', reason: 'funds' }
  if (status === 429 || status === 503) return { kind: 'later', ms: 0, failure }
  // Other orders may work. A create that the service refused concerns the account or orderctl itself.
  return orderId === undefined && status !== undefined
    ? { kind: 'stopped', reason: failure }
    : { kind: 'later', ms: longWaitMs, failure }
}
