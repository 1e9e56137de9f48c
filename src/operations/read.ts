// Reads an order: its state now, and the time by the service that said so.
import type { Order } from '../contract/schemas.ts'
import { Failure } from '../errors.ts'
import type { Deps } from './deps.ts'
import { readFailure } from './failure-of.ts'
import { type ServiceTime, serviceTime } from './service-time.ts'

export type Seen = { readonly order: Order; readonly serviceTime: ServiceTime }

export const readOrder = async ({ api, clock, interrupted }: Deps, orderId: string): Promise<Seen> => {
  const outcome = await api.get(orderId, { signal: interrupted })
  if (outcome.kind === 'done') {
    return { order: outcome.data, serviceTime: serviceTime(clock, outcome.serverTime) }
  }
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing has changed', { orderId })
  throw readFailure(outcome, { orderId })
}

/** By the signal that came. */
export const interruption = (
  { reason }: AbortSignal,
  message: string,
  details: { readonly orderId?: string; readonly fix?: string } = {},
): Failure => new Failure(reason === 'SIGTERM' ? 'terminated' : 'interrupted', message, details)
