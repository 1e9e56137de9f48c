// Asks for orders: request, record, return. Only this file calls `api.get`, so no response is left unrecorded.
import type { DoneOutcome, Outcome } from '../client/outcome.ts'
import type { Order } from '../contract/schemas.ts'
import { interruption } from '../errors.ts'
import { createReadFailure, createSpentFailure } from './outcome-failures.ts'
import type { Session } from './session.ts'

/** What asking for an order needs. */
export type Asking = Pick<Session, 'record'> & { readonly api: Pick<Session['api'], 'get'> }

export const requestOrder = async (
  { api, record }: Asking,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => {
  const outcome = await api.get(orderId, { signal })
  if (outcome.kind === 'done') await record(outcome.data)
  return outcome
}

/** For a confirm, which records the response together with its own outcome, and for the test of an account. */
export const requestUnrecorded = (
  { api }: Pick<Asking, 'api'>,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => api.get(orderId, { signal })

export const readOrder = async (
  session: Asking & Pick<Session, 'interrupted' | 'owner'>,
  orderId: string,
): Promise<DoneOutcome<Order>> => {
  const { interrupted, owner } = session
  const outcome = await requestOrder(session, orderId, interrupted)
  if (outcome.kind === 'done') return outcome
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing has changed', { orderId })
  throw createReadFailure(outcome, { orderId, origin: owner.origin })
}

/** For a read after money was spent: its failures say not to order again. */
export const readSpent = async (
  session: Asking & Pick<Session, 'interrupted'>,
  orderId: string,
): Promise<Order> => {
  const { interrupted } = session
  const outcome = await requestOrder(session, orderId, interrupted)
  if (outcome.kind === 'done') return outcome.data
  if (interrupted.aborted) {
    throw interruption(interrupted, `the order ${orderId} is confirmed; it was not read again`, {
      orderId,
      fix: (suggest) => `Show it: ${suggest`get ${orderId}`}`,
    })
  }
  throw createSpentFailure(outcome, orderId)
}
