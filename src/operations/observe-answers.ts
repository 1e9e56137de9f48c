// An api that reports what its answers say: each order that was read, and the service's time.
import type { Api } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'

type Observers = {
  readonly onOrder: (order: Order) => Promise<void>
  readonly onServerTime: (ms: number) => void
}

export const observeAnswers = (api: Api, { onOrder, onServerTime }: Observers): Api => {
  const timed = async <Result extends { readonly serverTime?: number }>(
    answer: Promise<Result>,
  ): Promise<Result> => {
    const outcome = await answer
    if (outcome.serverTime !== undefined) onServerTime(outcome.serverTime)
    return outcome
  }
  return {
    ...api,
    create: (...given) => timed(api.create(...given)),
    confirm: (...given) => timed(api.confirm(...given)),
    get: async (...given) => {
      const outcome = await timed(api.get(...given))
      if (outcome.kind === 'done') await onOrder(outcome.data)
      return outcome
    },
  }
}
