// Wraps an api to report the service's time and each order that was read.
import type { Api } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'

type Observers = {
  readonly onOrder: (order: Order) => Promise<void>
  readonly onServerTime: (ms: number) => void
}

export const observeAnswers = (api: Api, { onOrder, onServerTime }: Observers): Api => {
  const reportTime = async <Result extends { readonly serverTime?: number }>(
    answer: Promise<Result>,
  ): Promise<Result> => {
    const outcome = await answer
    if (outcome.serverTime !== undefined) onServerTime(outcome.serverTime)
    return outcome
  }
  return {
    ...api,
    create: (...given) => reportTime(api.create(...given)),
    confirm: (...given) => reportTime(api.confirm(...given)),
    get: async (...given) => {
      const outcome = await reportTime(api.get(...given))
      if (outcome.kind === 'done') await onOrder(outcome.data)
      return outcome
    },
  }
}
