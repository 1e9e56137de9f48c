// An api that tells what it hears: each order as it stands, and the service's time.
import type { Api } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'

export type Ears = {
  readonly onOrder: (order: Order) => Promise<void>
  readonly onServerTime: (ms: number) => void
}

export const hearing = (api: Api, { onOrder, onServerTime }: Ears): Api => {
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
