// Finds an earlier order that create would repeat.

import { findWebhookHost } from '../../contract/limits.ts'
import type { OrderRequest } from '../../contract/order/order-request.ts'
import { Failure, interruption } from '../../errors.ts'
import { type Entry, findAllByReference, findUnproven, isOpen } from '../../journal/orders/entries.ts'
import { isHolding } from '../../journal/orders/standings.ts'
import { compareRequest, type Difference, differenceText } from '../compare.ts'
import { createOpenConfirmFailure } from '../confirm/confirm-failures.ts'
import { createDuplicateFailure, createOpenCreateFailure } from '../failures/duplicate-failure.ts'
import { readNextStep } from '../next-step.ts'
import { reconcile } from '../reconcile.ts'
import type { Session } from '../session.ts'

/** The order to continue with; undefined if the reference is free. */
export const findPlaced = async (session: Session, request: OrderRequest): Promise<Entry | undefined> => {
  const { interrupted, journal, owner } = session
  for (;;) {
    const all = await findAllByReference(journal.read, owner.account, request.reference)
    const step = await readNextStep(session, all, 'reference')
    if (step.kind === 'create') return undefined
    if (step.kind === 'refused') throw createDuplicateFailure(step.entry, {})
    if (step.kind === 'wait') throw createOpenCreateFailure(step.call, step.entry)
    refuseDifferent(step.entry, request)
    const { entry, unproven, problem } = await reconcile(session, step.entry)
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing was sent')
    if (!isHolding(entry)) continue
    if (unproven !== undefined && isOpen(unproven))
      throw createOpenConfirmFailure(unproven, entry.orderId ?? '')
    if (problem !== undefined && entry.standing !== 'confirmed') throw problem
    return entry
  }
}

const refuseDifferent = (entry: Entry, request: OrderRequest): void => {
  const differences = compareRequest(entry, request)?.concat(findWebhookDifference(entry, request))
  if (differences?.length === 0) return
  const { orderId = '', reference = '', state } = entry
  const what =
    differences === undefined ? 'whose contents are not in the journal' : 'which has different contents'
  throw new Failure(
    'different-order',
    `the reference ${reference} belongs to the order ${orderId} (${state}), ${what}; nothing was sent`,
    {
      field: 'reference',
      orderId,
      violations: differences?.map(differenceText),
      fix: (suggest) => suggest`get ${orderId}`,
      advice: 'To order something else, choose a different reference.',
    },
  )
}

/** The journal keeps only the host, because the rest of the address may be a secret. */
const findWebhookDifference = (entry: Entry, { webhookUrl }: OrderRequest): Difference[] => {
  const [placed, now] = [entry.webhookHost ?? 'none', findWebhookHost(webhookUrl) ?? 'none']
  return placed === now ? [] : [{ field: 'webhook host', placed, now }]
}

/** An order with the same contents whose confirm may have spent money: this create may repeat it. */
export const findUnprovenTwin = async (
  { journal, owner }: Pick<Session, 'journal' | 'owner'>,
  request: OrderRequest,
): Promise<Entry | undefined> => {
  const unproven = await findUnproven(journal.read, owner.account)
  return unproven.find((entry) => compareRequest(entry, request)?.length === 0)
}

export const createTwinFailure = ({ orderId = '', state }: Entry): Failure =>
  new Failure(
    'same-products',
    `the order ${orderId} (${state}) has the same products, and its confirm may have spent money; nothing was sent`,
    {
      orderId,
      fix: (suggest) => suggest`reconcile ${orderId}`,
      advice: 'To order again anyway, add --allow-duplicate.',
    },
  )
