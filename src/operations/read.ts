// Reads an order, with the time of the response.
import type { Order } from '../contract/schemas.ts'
import { interruption } from '../errors.ts'
import { createReadFailure, createSpentFailure } from './outcome-failures.ts'
import type { Session } from './session.ts'

export type Seen = {
  readonly order: Order
  /** From the `Date` header of the response. */
  readonly serverTime: number | undefined
}

export const readOrder = async (
  {
    api,
    interrupted,
    owner,
  }: Pick<Session, 'interrupted' | 'owner'> & { readonly api: Pick<Session['api'], 'get'> },
  orderId: string,
): Promise<Seen> => {
  const outcome = await api.get(orderId, { signal: interrupted })
  if (outcome.kind === 'done') {
    const { data: order, serverTime } = outcome
    return { order, serverTime }
  }
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing has changed', { orderId })
  throw createReadFailure(outcome, { orderId, origin: owner.origin })
}

/** For a read after money was spent: its failures say not to order again. */
export const readSpent = async (
  { api, interrupted }: Pick<Session, 'api' | 'interrupted'>,
  orderId: string,
): Promise<Order> => {
  const outcome = await api.get(orderId, { signal: interrupted })
  if (outcome.kind === 'done') return outcome.data
  if (interrupted.aborted) {
    throw interruption(interrupted, `the order ${orderId} is confirmed; it was not read again`, {
      orderId,
      fix: (suggest) => `Show it: ${suggest`get ${orderId}`}`,
    })
  }
  throw createSpentFailure(outcome, orderId)
}
