// Sends the orders of received deliveries again, rebuilt from the service.
import type { Api } from '../../client/api.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import type { ReceivedDelivery } from '../../journal/received.ts'
import { readOrder } from '../read.ts'
import { findBackoff } from './backoff.ts'
import { describeSent, isAccepted, type Sent } from './forward-queue.ts'

export type Replayed = ReceivedDelivery & {
  /** The state of the order. Undefined if the service does not know it. */
  readonly state: string | undefined
  /** Undefined if the target accepted it. */
  readonly error?: string
}

type Options = {
  readonly api: Pick<Api, 'get'>
  readonly clock: Clock
  readonly interrupted: AbortSignal
  /** Sends the order of a delivery once. Never rejects. */
  readonly send: (delivery: ReceivedDelivery, order: Order) => Promise<Sent>
  readonly onReplayed: (replayed: Replayed) => void
}

/** At most five requests a second. */
const spacingMs = 200
const maxTries = 3

type Counts = {
  readonly sent: number
  /** The target did not accept them. */
  readonly failed: number
  /** The service does not know their orders. */
  readonly missing: number
}

/** Throws if the service cannot be asked. */
export const replayDeliveries = async (
  deliveries: readonly ReceivedDelivery[],
  { api, clock, interrupted, send, onReplayed }: Options,
): Promise<Counts> => {
  const orders = new Map<string, Order | undefined>()
  const readOnce = async (orderId: string): Promise<Order | undefined> => {
    if (orders.has(orderId)) return orders.get(orderId)
    if (orders.size > 0) await clock.sleep(spacingMs, interrupted)
    const order = await readIfKnown({ api, interrupted }, orderId)
    orders.set(orderId, order)
    return order
  }
  const sendRepeatedly = async (delivery: ReceivedDelivery, order: Order): Promise<Sent> => {
    for (let tries = 1; ; tries += 1) {
      const sent = await send(delivery, order)
      if (isAccepted(sent) || tries === maxTries || interrupted.aborted) return sent
      await clock.sleep(findBackoff(tries), interrupted)
    }
  }
  const counts = { sent: 0, failed: 0, missing: 0 }
  for (const delivery of deliveries) {
    if (interrupted.aborted) break
    const order = await readOnce(delivery.orderId)
    if (order === undefined) {
      counts.missing += 1
      onReplayed({ ...delivery, state: undefined, error: 'the service does not know this order' })
      continue
    }
    const { state } = order
    const sent = await sendRepeatedly(delivery, order)
    counts[isAccepted(sent) ? 'sent' : 'failed'] += 1
    onReplayed({ ...delivery, state, ...(isAccepted(sent) ? {} : { error: describeSent(sent) }) })
  }
  return counts
}

const readIfKnown = async (
  deps: Parameters<typeof readOrder>[0],
  orderId: string,
): Promise<Order | undefined> => {
  try {
    return (await readOrder(deps, orderId)).order
  } catch (error) {
    if (error instanceof Failure && error.details.refusal === 'order-not-found') return undefined
    throw error
  }
}
