// Decides the purchase step of a reference, or of a slot of a batch, by its orders in the journal: create, confirm, wait.

import { type Call, type Entry, listCalls } from '../journal/orders/entries.ts'
import {
  findCreateEnd,
  hasExpired,
  isHolding,
  isOpen,
  isPendingCreate,
  isUnprovenOrder,
  type Times,
  wasStarted,
} from '../journal/orders/standings.ts'
import type { Session } from './dependencies.ts'

/** For so long, a run asks for an order after a confirm without a valid response. */
export const settlingMs = 80_000

/** The server ends a transaction that is suspended for longer. */
const recordingMs = 10_000

/** By the journal's clock. */
export const findEnd = (call: Call): number => {
  const { operation, outcome, until, respondedAt = until } = call
  if (operation === 'create') return findCreateEnd(call)
  return (outcome === 'unknown' ? respondedAt : until) + settlingMs + recordingMs
}

/** Whether the run that made the call may still record its outcome. */
export const isInFlight = (call: Call, at: number): boolean =>
  call.operation === 'create'
    ? isPendingCreate(call, at)
    : isOpen(call) && wasStarted(call, at) && at < findEnd(call)

/** As isInFlight, but a create whose process has ended on this machine ends now: without a confirm, it spent nothing. */
export const isStillInFlight = async ({ journal, clock }: Pick<Session, 'journal' | 'clock'>, call: Call) =>
  isInFlight(call, clock.now()) && !(await journal.endAbandoned(call, clock.now()))

/** When every confirm has ended, by the journal's clock. A person's decision about a confirm does not end it. */
export const findConfirmsEnd = (calls: readonly Call[], at: number): number => {
  const ends = calls.flatMap((call) => {
    const { operation, outcome, until } = call
    if (operation !== 'confirm' || outcome === 'done' || outcome === 'not-sent' || !wasStarted(call, at))
      return []
    return outcome === 'refused' ? until : Math.max(until, findEnd(call))
  })
  return Math.max(0, ...ends)
}

export type KnownOrder = {
  readonly entry: Entry
  /** The create whose response a different run may still get. */
  readonly create?: Call | undefined
}

type PurchaseStep =
  /** No order is, or may become, the purchase. */
  | { readonly kind: 'create' }
  | { readonly kind: 'wait'; readonly entry: Entry; readonly call: Call }
  /** `settle`: the confirm may have spent, and only a proof decides. `collect`: it is confirmed and not final. */
  | { readonly kind: 'confirm' | 'settle' | 'collect' | 'done'; readonly entry: Entry }
  /** The reference belongs to a batch, which buys the cards of its void orders itself. */
  | { readonly kind: 'refused'; readonly entry: Entry }

type Options = Times & { readonly of: 'reference' | 'slot' }

export const findPurchaseStep = (orders: readonly KnownOrder[], { of, ...times }: Options): PurchaseStep => {
  const entry = choosePurchase(orders.map((order) => order.entry).filter(isHolding))
  if (entry !== undefined) return { kind: continueOrder(entry, times), entry }
  for (const { entry, create } of orders)
    if (create !== undefined) return { kind: 'wait', entry, call: create }
  const ofBatch = of === 'reference' ? orders.find(({ entry: { batch } }) => batch !== undefined) : undefined
  return ofBatch === undefined ? { kind: 'create' } : { kind: 'refused', entry: ofBatch.entry }
}

/** Prefers an order that is or may be paid, then a pending order, then an order that ended without all its cards. */
const choosePurchase = (holding: readonly Entry[]): Entry | undefined => {
  // The cards that a failed order of a slot did not deliver get a new slot.
  const isOver = ({ batch, result }: Entry): boolean =>
    batch === undefined && (result === 'failed' || result === 'rejected')
  const wanted = holding.filter((entry) => !isOver(entry))
  return (
    wanted.find(({ standing }) => standing === 'confirmed') ??
    wanted.find(isUnprovenOrder) ??
    wanted[0] ??
    holding[0]
  )
}

const continueOrder = (entry: Entry, times: Times): 'confirm' | 'settle' | 'collect' | 'done' => {
  const { standing, result } = entry
  if (standing === 'confirmed') return result === undefined ? 'collect' : 'done'
  if (standing === 'pending') return 'confirm'
  // The service refused before it acted, so the order may be confirmed again until it expires.
  return standing === 'doubtful' && !hasExpired(entry, times) ? 'confirm' : 'settle'
}

/** The step for these orders, the newest first. */
export const readPurchaseStep = async (
  { journal, clock, serviceNow }: Pick<Session, 'journal' | 'clock' | 'serviceNow'>,
  entries: readonly Entry[],
  of: Options['of'],
): Promise<PurchaseStep> => {
  // Read after the orders, so that an order that a different process has just created is not later.
  const now = clock.now()
  const orders = entries.map(async (entry): Promise<KnownOrder> => {
    if (entry.standing !== 'creating') return { entry }
    const create = (await listCalls(journal.read, entry.number)).find((call) => isInFlight(call, now))
    const isOver = create === undefined || !(await isStillInFlight({ journal, clock }, create))
    return isOver ? { entry } : { entry, create }
  })
  return findPurchaseStep(await Promise.all(orders), { of, now, serviceNow: serviceNow() })
}
