// What became of a confirmation whose answer was lost: the order itself is asked, for a while.
import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import { isPastPending } from '../contract/states.ts'

const waitsMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]

export type Settled =
  /** It took effect: the order is past `created`. */
  | { readonly kind: 'confirmed'; readonly order: Order }
  /** Still `created`, or nobody answered: it may take effect yet. */
  | { readonly kind: 'unknown'; readonly order?: Order }

export const settle = async (
  api: Api,
  orderId: string,
  clock: Pick<Clock, 'sleep'>,
  interrupted?: AbortSignal,
): Promise<Settled> => {
  let last: Order | undefined
  for (const ms of waitsMs) {
    await clock.sleep(ms, interrupted)
    if (interrupted?.aborted) break
    const outcome = await api.get(orderId, { signal: interrupted })
    if (outcome.kind !== 'done') continue
    last = outcome.data
    if (isPastPending(last.state)) return { kind: 'confirmed', order: last }
  }
  return last === undefined ? { kind: 'unknown' } : { kind: 'unknown', order: last }
}
