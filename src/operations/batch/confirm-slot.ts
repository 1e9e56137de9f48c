// Confirms the order of a slot within the cap of the batch.
import { formatDecimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines } from '../../journal/batches/batch.ts'
import type { Entry } from '../../journal/entry.ts'
import { isHolding } from '../../journal/standings.ts'
import { readRequestedProducts, refuseChanges } from '../compare.ts'
import { confirm } from '../confirm/confirm.ts'
import { readForConfirm } from '../confirm/read-for-confirm.ts'
import { guard, type Offer } from '../offer.ts'
import { reconcile } from '../reconcile.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'

type ConfirmWork = { readonly claim: Claim; readonly release: () => void }

/** An order that expires sooner is not confirmed: a refused confirm would block the slot until there is proof. */
const minValidityMs = 10_000

export const confirmOffer = async (
  run: BatchRun,
  offer: Offer,
  { claim, release }: ConfirmWork,
): Promise<SlotEnd | 'next'> => {
  const { session } = run
  await run.pace.ready(session.interrupted)
  guard(offer, {}, session.serviceNow())
  if (offer.expiresAt - session.serviceNow() < minValidityMs)
    return { kind: 'later', ms: minValidityMs, failure: createTooLateFailure(offer) }
  await countConfirm(run, offer, (onSending) =>
    confirm(session, offer, { onSending, claim, onSettling: release }),
  )
  return 'next'
}

/** The confirm has certainly spent nothing. */
const unspentKinds: readonly string[] = ['unavailable', 'refused', 'expired', 'not-approved']

const countConfirm = async (
  { counter }: BatchRun,
  { orderId, total }: Offer,
  work: (onSending: () => void) => Promise<unknown>,
): Promise<void> => {
  try {
    await work(() => counter.unknown.add(orderId))
  } catch (error) {
    if (error instanceof Failure && unspentKinds.includes(error.kind)) counter.unknown.delete(orderId)
    throw error
  }
  counter.unknown.delete(orderId)
  counter.confirmed += 1
  counter.spent = counter.spent.plus(total)
}

const createTooLateFailure = ({ orderId }: Offer): Failure =>
  new Failure('expired', `the order ${orderId} expires in less than 10 s; it was not confirmed`, { orderId })

type EarlierOrder = { readonly entry: Entry; readonly release: () => void }

export const confirmEarlier = async (
  run: BatchRun,
  slot: number,
  { entry, release }: EarlierOrder,
): Promise<SlotEnd | 'next'> => {
  const { session, batch } = run
  const { orderId = '' } = entry
  await run.pace.ready(session.interrupted)
  try {
    const { offer, differences } = await readForConfirm(session, orderId)
    refuseChanges(orderId, differences)
    const claim = {
      batch: batch.number,
      slot,
      lines: readOrderedLines(entry),
      lease: run.leases.leaseOf(slot),
    }
    return await confirmOffer(run, offer, { claim, release })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The order may have expired, or the service may have forgotten it: then the slot is free again.
    const { entry: now } = await reconcile(session, (await session.journal.getOrder(entry.number)) ?? entry)
    if (now.standing === 'confirmed' || !isHolding(now)) return 'next'
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
