// What a watch knows about its orders so far, by the answers of the service and by the journal.
import type { Order } from '../../contract/schemas.ts'
import { hasReached, isFinal } from '../../contract/states.ts'
import type { ShownOrder } from '../../journal/shown-orders.ts'
import { isSameOrder } from '../order-update.ts'

/** A state that only the journal has shown, because another process received it from the service. */
export type Noticed = { readonly uid: string; readonly state: string; readonly hasCards: boolean }

/** The last state of an order, with the answer that showed it. */
export type Watched =
  | { readonly uid: string; readonly state: string; readonly answer: Order }
  | (Noticed & { readonly answer?: undefined })

export type Progress = {
  readonly open: Set<string>
  /** The last answer for each order. */
  readonly answers: Map<string, Order>
  /** What the journal has shown since the last answer. */
  readonly noticed: Map<string, Noticed>
  /** The number of failed reads of each order. */
  readonly failedReads: Map<string, number>
  /** Orders to ask the service about at once. */
  readonly urgent: Set<string>
}

export const createProgress = (orderIds: readonly string[]): Progress => ({
  open: new Set(orderIds),
  answers: new Map(),
  noticed: new Map(),
  failedReads: new Map(),
  urgent: new Set(),
})

export const getState = ({ answers, noticed }: Progress, id: string): string | undefined =>
  (noticed.get(id) ?? answers.get(id))?.state

/** In the given sequence. Omits orders that nothing has shown. */
export const listWatched = ({ answers, noticed }: Progress, orderIds: readonly string[]): Watched[] =>
  orderIds.flatMap((id): Watched[] => {
    const notice = noticed.get(id)
    const answer = answers.get(id)
    if (notice !== undefined) return [notice]
    return answer === undefined ? [] : [{ uid: answer.uid, state: answer.state, answer }]
  })

/**
 * Records a change that the journal shows. The state is believed if it comes after the last known one. Otherwise, or if
 * `needsAnswer` is true, the service is asked. Returns the state that is believed.
 */
export const noteChange = (
  progress: Progress,
  { shown, isFirstLook, needsAnswer }: { shown: ShownOrder; isFirstLook: boolean; needsAnswer: boolean },
): Noticed | undefined => {
  const { open, answers, noticed, urgent } = progress
  const { orderId: uid, state } = shown
  const answer = answers.get(uid)
  const before = getState(progress, uid)
  if (!open.has(uid) || answer === undefined || before === undefined || before === state) return undefined
  if (!isSameOrder(shown, answer)) return undefined
  const isLater = hasReached(state, before)
  // The first look may show an old state, which the answer has corrected.
  if (isFirstLook && !isLater) return undefined
  if (needsAnswer || isFirstLook || !isLater) {
    urgent.add(uid)
    return undefined
  }
  const notice = { uid, state, hasCards: (shown.delivered ?? 0) > 0 }
  noticed.set(uid, notice)
  return notice
}

export const hasEnded = (state: string, forState: string | undefined): boolean =>
  isFinal(state) || (forState !== undefined && hasReached(state, forState))
