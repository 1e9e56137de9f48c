// Asks the service once about an order that is watched.
import type { Outcome } from '../../client/outcome.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasReached, pendingState } from '../../contract/states.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { assumeExpiry, hasExpired } from '../expiry.ts'
import { createReadFailure, createSpentFailure } from '../outcome-failures.ts'
import { getState, hasEnded, type Progress } from './progress.ts'
import type { WatchOptions } from './watch-options.ts'

/** Failed reads before watch gives up on an order that it never saw. */
const maxFailedReads = 5

/** Returns whether the state is new. */
export const readOnce = async (
  id: string,
  progress: Progress,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const { answers, noticed, open, failedReads } = progress
  const { api, expiresAt, forState, known, onState, onEnd, onPollError } = options
  const earlier = noticed.get(id)
  const outcome = await api.get(id, { signal })
  // The journal has shown the last state meanwhile.
  if (!open.has(id)) return false
  const wasSeen = answers.has(id)
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    const count = (failedReads.get(id) ?? 0) + 1
    failedReads.set(id, count)
    const isHopeless = count >= maxFailedReads && !wasSeen && known !== true
    if (isHopeless || !isTemporary(outcome, wasSeen, known === true)) {
      throw known === true ? createSpentFailure(outcome, id) : createReadFailure(outcome, { orderId: id })
    }
    onPollError(id, outcome.kind === 'refused' ? outcome.message : outcome.reason)
    return false
  }
  const order = outcome.data
  const notice = noticed.get(id)
  // The journal has shown a later state during the request. The next answer shows whether it is true.
  if (notice !== undefined && notice !== earlier && hasReached(notice.state, order.state)) return false
  const before = getState(progress, id)
  answers.set(id, order)
  noticed.delete(id)
  if (hasEnded(order.state, forState) || isExpired(order, outcome.serverTime, expiresAt)) {
    open.delete(id)
    onEnd?.(id)
  }
  if (before === order.state) return false
  await onState(order)
  return true
}

// No documented state means 'expired': the order stays pending.
const isExpired = (
  order: Order,
  serverTime: number | undefined,
  expiresAt: WatchOptions['expiresAt'],
): boolean =>
  order.state === pendingState &&
  serverTime !== undefined &&
  hasExpired(expiresAt?.(order.uid) ?? assumeExpiry(toMilliseconds(order.createdDate)), serverTime)

/** An address that never answered, or an order that was never seen, is a mistake of the user. */
const isTemporary = (
  outcome: Exclude<Outcome<Order>, { kind: 'done' }>,
  wasSeen: boolean,
  known: boolean,
): boolean => {
  switch (outcome.kind) {
    case 'unknown':
      return true
    case 'not-sent':
      return wasSeen || known
    case 'refused':
      if (outcome.refusal === 'credentials') return false
      return wasSeen || (known && outcome.refusal === 'order-not-found')
  }
}
