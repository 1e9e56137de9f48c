// Determines the outcome of a confirm that had no valid success as its response, by repeated `get` calls. The
// caller records the response that settles it, with the outcome.

import { within } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import { pendingState } from '../contract/states.ts'
import { isPaid, requestUnrecorded } from './read.ts'
import type { Session } from './session.ts'

/** Delays after the response arrived or was lost. */
const delaysMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]

/** The limit for all calls together. */
export const settlingMs = 80_000

export type Settled =
  /** By this confirm or another confirm of the order. */
  | { readonly kind: 'confirmed'; readonly order: Order }
  /** The service refused, and the order is not confirmed so far. */
  | { readonly kind: 'unconfirmed'; readonly order: Order }
  | { readonly kind: 'unknown'; readonly order?: Order | undefined }

export type SettleOptions = {
  readonly orderId: string
  /** A response arrived, so the first `get` needs no delay. */
  readonly hasResponse: boolean
  /** By its status, the service refused before it acted. */
  readonly isRefusal: boolean
  /** Whether a response shows the order that was confirmed. */
  readonly isSameOrder: (order: Order) => boolean
}

export const settle = (
  session: Pick<Session, 'api' | 'clock' | 'interrupted'>,
  { orderId, hasResponse, isRefusal, isSameOrder }: SettleOptions,
): Promise<Settled> =>
  within(session.clock, settlingMs, session.interrupted, async (signal) => {
    const { clock } = session
    const startedAt = clock.monotonic()
    let last: Order | undefined
    for (const ms of hasResponse ? [0, ...delaysMs] : delaysMs) {
      const wait = ms - (clock.monotonic() - startedAt)
      if (wait > 0) await clock.sleep(wait, signal)
      if (signal.aborted) break
      const outcome = await requestUnrecorded(session, orderId, signal)
      if (outcome.kind !== 'done' || !isSameOrder(outcome.data)) continue
      last = outcome.data
      if (isPaid(last)) return { kind: 'confirmed', order: last }
      if (isRefusal && last.state === pendingState) return { kind: 'unconfirmed', order: last }
    }
    return { kind: 'unknown', order: last }
  })
