// What a watch knows about its orders so far, by the responses of the service and by the journal.
import type { Order } from '../../contract/schemas.ts'
import { hasReached, isFinal } from '../../contract/states.ts'
import type { ShownOrder } from '../../journal/list-orders.ts'
import { isSameOrder } from '../order-update.ts'

/** A state that only the journal has shown, because another process received it from the service. */
export type Noticed = { readonly uid: string; readonly state: string; readonly hasCards: boolean }

/** The last state of an order, with the response that showed it. */
export type Watched =
  | { readonly uid: string; readonly state: string; readonly response: Order }
  | (Noticed & { readonly response?: undefined })

export type Progress = {
  readonly open: Set<string>
  /** The last response for each order. */
  readonly responses: Map<string, Order>
  /** What the journal has shown since the last response. */
  readonly noticed: Map<string, Noticed>
  /** The number of failed reads of each order. */
  readonly failedReads: Map<string, number>
  /** Orders to ask the service about at once. */
  readonly urgent: Set<string>
}

export const createProgress = (orderIds: readonly string[]): Progress => ({
  open: new Set(orderIds),
  responses: new Map(),
  noticed: new Map(),
  failedReads: new Map(),
  urgent: new Set(),
})

export const getState = ({ responses, noticed }: Progress, id: string): string | undefined =>
  (noticed.get(id) ?? responses.get(id))?.state

/** In the given sequence. Omits orders that nothing has shown. */
export const listWatched = ({ responses, noticed }: Progress, orderIds: readonly string[]): Watched[] =>
  orderIds.flatMap((id): Watched[] => {
    const notice = noticed.get(id)
    const response = responses.get(id)
    if (notice !== undefined) return [notice]
    return response === undefined ? [] : [{ uid: response.uid, state: response.state, response }]
  })

/**
 * Records a change that the journal shows. The state is believed if it comes after the last known one. Otherwise, or if
 * `needsResponse` is true, the service is asked. Returns the state that is believed.
 */
export const noteChange = (
  progress: Progress,
  { shown, isFirstLook, needsResponse }: { shown: ShownOrder; isFirstLook: boolean; needsResponse: boolean },
): Noticed | undefined => {
  const { open, responses, noticed, urgent } = progress
  const { orderId: uid, state } = shown
  const response = responses.get(uid)
  const before = getState(progress, uid)
  if (!open.has(uid) || response === undefined || before === undefined || before === state) return undefined
  if (!isSameOrder(shown, response)) return undefined
  const isLater = hasReached(state, before)
  // The first look may show an old state, which the response has corrected.
  if (isFirstLook && !isLater) return undefined
  if (needsResponse || isFirstLook || !isLater) {
    urgent.add(uid)
    return undefined
  }
  const notice = { uid, state, hasCards: (shown.delivered ?? 0) > 0 }
  noticed.set(uid, notice)
  return notice
}

export const hasEnded = (state: string, forState: string | undefined): boolean =>
  isFinal(state) || (forState !== undefined && hasReached(state, forState))
