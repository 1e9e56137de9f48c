// Determines the outcome of a confirm that had no valid success as its response, by repeated `get` calls. The
// caller records the response that settles it, with the outcome.

import type { DoneOutcome } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'
import { within } from '../contract/time.ts'
import type { Known } from '../journal/orders/entries.ts'
import { isSameOrder, provesPayment, showsNoConfirm } from './evidence.ts'
import { requestUnrecorded } from './read.ts'
import type { Session } from './session.ts'

/** Delays after the response arrived or was lost. */
const delaysMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]

/** The limit for all calls together. */
export const settlingMs = 80_000

export type Settled =
  /** By this confirm or a different confirm of the order. */
  | { readonly kind: 'confirmed'; readonly response: Shown }
  /** The service refused, and the order is not confirmed so far. */
  | { readonly kind: 'unconfirmed'; readonly response: Shown }
  | { readonly kind: 'unknown'; readonly response?: Shown | undefined }

type Shown = DoneOutcome<Order>

export type SettleOptions = {
  readonly orderId: string
  /** A response arrived, so the first `get` needs no delay. */
  readonly hasResponse: boolean
  /** By its status, the service refused before it acted. */
  readonly isRefusal: boolean
  readonly reference: string
  /** The order as it was when its confirm began. Undefined if the journal became unreadable. */
  readonly known: Known | undefined
}

export const settle = (
  session: Pick<Session, 'api' | 'clock' | 'interrupted'>,
  { orderId, hasResponse, isRefusal, reference, known }: SettleOptions,
): Promise<Settled> =>
  within(session.clock, settlingMs, session.interrupted, async (signal) => {
    const { clock } = session
    const startedAt = clock.monotonic()
    let last: Shown | undefined
    for (const ms of hasResponse ? [0, ...delaysMs] : delaysMs) {
      const wait = ms - (clock.monotonic() - startedAt)
      if (wait > 0) await clock.sleep(wait, signal)
      if (signal.aborted) break
      const response = await requestUnrecorded(session, orderId, signal)
      if (response.kind !== 'done' || !isSameOrder(known?.entry ?? { reference }, response.data)) continue
      last = response
      if (provesPayment(response.data, known)) return { kind: 'confirmed', response }
      if (isRefusal && showsNoConfirm(response)) return { kind: 'unconfirmed', response }
    }
    return { kind: 'unknown', response: last }
  })
