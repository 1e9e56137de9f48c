// Decides for create --again whether an earlier order may be ordered again, and chooses the reference. The reference is
// the same in every run, so a second run finds the first run's order.

import { mayHideCards } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { Failure, interruption } from '../errors.ts'
import { getBatch } from '../journal/batches/batches.ts'
import type { Journal } from '../journal/journal.ts'
import { type Entry, findOrderById } from '../journal/orders/entries.ts'
import { isHolding, isUnprovenOrder } from '../journal/orders/standings.ts'
import type { Session } from './dependencies.ts'
import { describeProof } from './failures.ts'
import { readRequestedProducts } from './offer.ts'
import { type NamedOrder, type ReadOrder, readOrder } from './read.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import type { OrderView } from './view.ts'

type Wanted = { readonly onlyMissing: boolean; readonly allowDuplicate: boolean }

export type EarlierOrder = {
  /** Undefined if the order is not in the journal. */
  readonly entry?: Entry
  /** The order, if the journal does not contain enough of it. */
  readonly shown?: Order
  /** For the new order. */
  readonly reference: string
  /** The products that the order did not deliver in full. Empty if the service was not asked. */
  readonly shortfalls: OrderView['shortfalls']
}

export const readEarlier = async (
  session: Session,
  named: NamedOrder,
  wanted: Wanted,
): Promise<EarlierOrder> => {
  const { journal, owner } = session
  const { orderId } = named
  const found = named.entry ?? (await findOrderById(journal.read, owner, orderId))
  if (found === undefined) return readUnknown(session, orderId, wanted)
  await refuseOfBatch(journal, found, wanted)
  const entry = await reconcileEarlier(session, found, wanted)
  const { onlyMissing } = wanted
  if (onlyMissing && !isHolding(entry)) {
    throw new Failure('never-confirmed', `the order ${orderId} was never confirmed; nothing was sent`, {
      field: '--missing',
      orderId,
      fix: (suggest) => suggest`create ${{ again: orderId }}`,
      advice: 'Without --missing, create orders all its products.',
    })
  }
  const isStored = entry.reference !== undefined && readRequestedProducts(entry) !== undefined
  const seen = onlyMissing || !isStored ? await readOrder(session, { orderId, entry }) : undefined
  const shown = seen?.data
  if (onlyMissing && seen !== undefined) refuseOpen(seen)
  const reference = entry.reference ?? shown?.reference ?? ''
  return {
    entry,
    ...(shown && { shown }),
    reference: isHolding(entry) ? addSuffix(reference, wanted) : reference,
    shortfalls: seen?.view.shortfalls ?? [],
  }
}

const addSuffix = (reference: string, { onlyMissing }: Wanted): string =>
  `${reference}${onlyMissing ? '-missing' : '-again'}`

/** Only the service can say whether such an order is confirmed. */
const readUnknown = async (session: Session, orderId: string, wanted: Wanted): Promise<EarlierOrder> => {
  const { onlyMissing, allowDuplicate } = wanted
  const seen = await readOrder(session, { orderId })
  const { data: shown, view } = seen
  if (onlyMissing && view.isFinal) refuseOpen(seen)
  if (!view.isFinal && (onlyMissing || !allowDuplicate))
    throw view.money === 'spent' ? createUnfinishedFailure(orderId) : createPendingFailure({ orderId })
  return { shown, reference: addSuffix(shown.reference, wanted), shortfalls: view.shortfalls }
}

/** Throws if the order may still be confirmed, or may have been. */
const reconcileEarlier = async (session: Session, entry: Entry, wanted: Wanted): Promise<Entry> => {
  const isCertain = !isHolding(entry) || entry.standing === 'confirmed'
  if (isCertain || (wanted.allowDuplicate && !wanted.onlyMissing)) return entry
  const reconciled = await reconcile(session, entry)
  if (session.interrupted.aborted) throw interruption(session.interrupted, 'interrupted; nothing was sent')
  const now = reconciled.entry
  if (!isHolding(now) || now.standing === 'confirmed') return now
  if (isUnprovenOrder(now)) throw createUnprovenFailure(reconciled)
  throw reconciled.problem ?? createPendingFailure(now)
}

const createPendingFailure = ({ orderId = '', placedWith }: Pick<Entry, 'orderId' | 'placedWith'>): Failure =>
  new Failure('not-confirmed-yet', `the order ${orderId} is not confirmed yet; nothing was sent`, {
    orderId,
    fix: (suggest) => (placedWith === undefined ? suggest`confirm ${orderId}` : suggest`get ${orderId}`),
    advice:
      'Confirm it instead of ordering its products again. If you do nothing, it expires and costs nothing.',
  })

const createUnprovenFailure = ({ entry: { orderId = '' }, provenAt }: Reconciliation): Failure => {
  const problem = `the confirm of the order ${orderId} may have spent money; nothing was sent`
  return new Failure('unproven', problem, describeProof(orderId, provenAt))
}

/** The rest of an order may still be delivered. */
const createUnfinishedFailure = (orderId: string): Failure =>
  new Failure('in-progress', `the order ${orderId} is paid and not final; nothing was sent`, {
    orderId,
    fix: (suggest) => suggest`watch ${orderId}`,
  })

/** The missing cards of a successful order may still come, and a repeated code may be replaced. */
const refuseOpen = ({ data, view: { isFinal, progress, shortfalls, duplicates } }: ReadOrder): void => {
  const orderId = data.uid
  if (!isFinal) throw createUnfinishedFailure(orderId)
  const isRepeated = duplicates > 0 && shortfalls.length === 0
  const problem =
    progress === 'incomplete'
      ? 'is paid and successful, so its missing cards may still come'
      : mayHideCards(data)
        ? 'has redeem data in an undocumented form, so it may have delivered its missing cards'
        : isRepeated
          ? 'is paid, but some of its cards have the same code'
          : undefined
  if (problem === undefined) return
  throw new Failure('cards-may-come', `the order ${orderId} ${problem}; nothing was sent`, {
    orderId,
    fix: (suggest) => suggest`explain ${orderId}`,
    advice: "Do not order again. Contact the service's support.",
  })
}

/** A batch buys its cards itself, and would buy them a second time. */
const refuseOfBatch = async (journal: Journal, entry: Entry, wanted: Wanted): Promise<void> => {
  const { orderId = '', batch: number, result } = entry
  if (number === undefined) return
  if (!wanted.onlyMissing && (wanted.allowDuplicate || result === 'successful')) return
  const batch = await getBatch(journal.read, number)
  const name = batch?.name ?? ''
  throw new Failure('usage', `the order ${orderId} belongs to the batch ${name}; nothing was sent`, {
    field: wanted.onlyMissing ? '--missing' : '--again',
    orderId,
    fix: (suggest) => {
      if (batch?.cancelledAt !== undefined) return suggest`batch show ${name}`
      return result === undefined ? suggest`batch run ${name}` : suggest`batch run ${name} --retry-failed`
    },
    advice: 'Only the batch can buy its missing cards.',
  })
}
