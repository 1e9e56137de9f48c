// Finds an earlier order that a create would repeat.
import type { OrderRequest } from '../contract/order-request.ts'
import { pendingState } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Entry, isOpen, isVoid, journalOnlyStates } from '../journal/entry.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { differenceText } from './compare.ts'
import type { Spending } from './deps.ts'
import { requestDifferences } from './kept-request.ts'
import { interruption } from './read.ts'
import { reconcile } from './reconcile.ts'
import { stillOpen } from './unproven.ts'

type Place = Pick<Spending, 'journal' | 'owner'>

/** The order to go on with; undefined if the reference is free, so that the order is to be placed. */
export const findPlaced = async (deps: Spending, request: OrderRequest): Promise<Entry | undefined> => {
  const found = placedUnder(deps, request.reference)
  if (found === undefined) return undefined
  refuseOther(found, request)
  const { entry, unproven, problem } = await reconcile(deps, found)
  if (deps.interrupted.aborted) throw interruption(deps.interrupted, 'interrupted; nothing was sent')
  if (entry.state === journalOnlyStates.expired) return findPlaced(deps, request)
  if (unproven !== undefined && isOpen(unproven)) throw stillOpen(unproven, entry.orderId ?? '')
  if (problem !== undefined && entry.confirmedAt === undefined) throw problem
  return entry
}

/** The order that the reference stands for: one that may have been paid for, else a pending one, else a failed one. */
const placedUnder = ({ journal, owner }: Place, reference: string): Entry | undefined => {
  const all = journal
    .findAllByReference(owner.account, reference)
    .filter(({ orderId }) => orderId !== undefined)
  const holding = all.filter(({ state }) => !isVoid(state))
  return (
    holding.find(({ state }) => state !== pendingState) ??
    holding[0] ??
    all.find(({ confirmedAt }) => confirmedAt !== undefined)
  )
}

const refuseOther = (entry: Entry, request: OrderRequest): void => {
  const differences = requestDifferences(entry, request)
  if (differences?.length === 0) return
  const { orderId = '', reference = '', state } = entry
  const what =
    differences === undefined ? 'whose request the journal does not have' : 'which is a different order'
  throw new Failure(
    'duplicate',
    `the reference ${reference} belongs to the order ${orderId} (${state}), ${what}; nothing was sent`,
    {
      field: 'reference',
      orderId,
      ...(differences === undefined ? {} : { violations: differences.map(differenceText) }),
      fix: `orderctl get ${quoteShellWord(orderId)}, or choose another reference.`,
    },
  )
}

/** An order with the same content whose confirm may have spent: this create may be a second try of it. */
export const findUnprovenTwin = ({ journal, owner }: Place, request: OrderRequest): Entry | undefined =>
  journal.findUnproven(owner.account).find((entry) => requestDifferences(entry, request)?.length === 0)

export const twinFailure = ({ orderId = '', state }: Entry): Failure =>
  new Failure(
    'duplicate',
    `the order ${orderId} (${state}) has the same products, and its confirm may have spent; nothing was sent`,
    {
      orderId,
      fix: `orderctl reconcile ${quoteShellWord(orderId)}. To order again all the same: --allow-duplicate`,
    },
  )
