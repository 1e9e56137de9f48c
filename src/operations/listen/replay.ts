// Sends the orders of received deliveries again, rebuilt from the service.
import type { Api } from '../../client/api.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import type { ReceivedDelivery } from '../../journal/received/received.ts'
import { readOrder } from '../read.ts'
import { findBackoff } from './backoff.ts'
import { describeSent, isAccepted, type Sent } from './forward-queue.ts'

export type Replayed = ReceivedDelivery & {
  /** The state of the order that was sent. */
  readonly state: string
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

/** Returns how many deliveries the target did not accept. Throws if an order cannot be read. */
export const replayDeliveries = async (
  deliveries: readonly ReceivedDelivery[],
  { api, clock, interrupted, send, onReplayed }: Options,
): Promise<number> => {
  const orders = new Map<string, Order>()
  const readOnce = async (orderId: string): Promise<Order> => {
    const known = orders.get(orderId)
    if (known !== undefined) return known
    if (orders.size > 0) await clock.sleep(spacingMs, interrupted)
    const { order } = await readOrder({ api, interrupted }, orderId)
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
  let failed = 0
  for (const delivery of deliveries) {
    if (interrupted.aborted) break
    const order = await readOnce(delivery.orderId)
    const sent = await sendRepeatedly(delivery, order)
    if (!isAccepted(sent)) failed += 1
    onReplayed({
      ...delivery,
      state: order.state,
      ...(isAccepted(sent) ? {} : { error: describeSent(sent) }),
    })
  }
  return failed
}
