// Wraps an api, so that no read of an order is left unrecorded. Also reports the service's time.
import type { Api } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'

type Recorder = {
  /** A read returns its order only when this is done. */
  readonly record: (order: Order) => Promise<void>
  readonly onServerTime: (ms: number) => void
}

export const recordReads = (api: Api, { record, onServerTime }: Recorder): Api => {
  const reportTime = async <Result extends { readonly serverTime?: number }>(
    response: Promise<Result>,
  ): Promise<Result> => {
    const outcome = await response
    if (outcome.serverTime !== undefined) onServerTime(outcome.serverTime)
    return outcome
  }
  return {
    ...api,
    create: (...given) => reportTime(api.create(...given)),
    confirm: (...given) => reportTime(api.confirm(...given)),
    get: async (...given) => {
      const outcome = await reportTime(api.get(...given))
      if (outcome.kind === 'done') await record(outcome.data)
      return outcome
    },
  }
}
