// Finds an earlier order that create would repeat.
import type { OrderRequest } from '../contract/order-request.ts'
import { Failure, interruption } from '../errors.ts'
import { type Entry, isOpen } from '../journal/orders/entry.ts'
import { isHolding } from '../journal/orders/standings.ts'
import { compareRequest, differenceText } from './compare.ts'
import { createOpenConfirmFailure } from './confirm/confirm-failures.ts'
import { createDuplicateFailure } from './duplicate-failure.ts'
import { reconcile } from './reconcile.ts'
import type { Session } from './session.ts'

/** The order to continue with; undefined if the reference is free. */
export const findPlaced = async (session: Session, request: OrderRequest): Promise<Entry | undefined> => {
  const all = await session.journal.findAllByReference(session.owner.account, request.reference)
  const found = chooseEarlier(all)
  if (found === undefined) {
    const ofBatch = all.find(({ batch }) => batch !== undefined)
    if (ofBatch !== undefined) throw createDuplicateFailure(ofBatch, {})
    return undefined
  }
  refuseDifferent(found, request)
  const { entry, unproven, problem } = await reconcile(session, found)
  if (session.interrupted.aborted) throw interruption(session.interrupted, 'interrupted; nothing was sent')
  if (!isHolding(entry)) return findPlaced(session, request)
  if (unproven !== undefined && isOpen(unproven))
    throw createOpenConfirmFailure(unproven, entry.orderId ?? '')
  if (problem !== undefined && entry.standing !== 'confirmed') throw problem
  return entry
}

/** Prefers an order that may be paid, then a pending one, then one that ended without all its cards. */
const chooseEarlier = (sameReference: readonly Entry[]): Entry | undefined => {
  const holding = sameReference.filter(isHolding)
  const isFailed = ({ result }: Entry): boolean => result === 'failed' || result === 'rejected'
  return (
    holding.find((entry) => entry.standing !== 'pending' && !isFailed(entry)) ??
    holding.find((entry) => !isFailed(entry)) ??
    holding[0]
  )
}

const refuseDifferent = (entry: Entry, request: OrderRequest): void => {
  const differences = compareRequest(entry, request)
  if (differences?.length === 0) return
  const { orderId = '', reference = '', state } = entry
  const what =
    differences === undefined ? 'whose contents are not in the journal' : 'which has other contents'
  throw new Failure(
    'duplicate',
    `the reference ${reference} belongs to the order ${orderId} (${state}), ${what}; nothing was sent`,
    {
      field: 'reference',
      orderId,
      violations: differences?.map(differenceText),
      fix: (suggest) =>
        `Show that order: ${suggest`get ${orderId}`}. To order something else, choose another reference.`,
    },
  )
}

/** An order with the same contents whose confirm may have spent money: this create may repeat it. */
export const findUnprovenTwin = async (
  { journal, owner }: Pick<Session, 'journal' | 'owner'>,
  request: OrderRequest,
): Promise<Entry | undefined> => {
  const unproven = await journal.findUnproven(owner.account)
  return unproven.find((entry) => compareRequest(entry, request)?.length === 0)
}

export const createTwinFailure = ({ orderId = '', state }: Entry): Failure =>
  new Failure(
    'duplicate',
    `the order ${orderId} (${state}) has the same products, and its confirm may have spent money; nothing was sent`,
    {
      orderId,
      fix: (suggest) =>
        `Check it: ${suggest`reconcile ${orderId}`}. To order again anyway, use --allow-duplicate.`,
    },
  )
