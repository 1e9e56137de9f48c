// Wraps an api, so that no read of an order is left unrecorded, and keeps the service's time by its responses.
import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/clock.ts'
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

export type ServiceClock = {
  /** Whole milliseconds. This machine's time until a response has told another. */
  readonly now: () => number
  readonly set: (serverTime: number) => void
}

export const createServiceClock = (clock: Pick<Clock, 'now' | 'monotonic'>): ServiceClock => {
  const startAt = (time: number) => ({ time, wall: clock.now(), monotonic: clock.monotonic() })
  let start = startAt(clock.now())
  return {
    // The monotonic clock may stop while a laptop sleeps, and the wall clock may be set back. The later time is safe.
    now: () =>
      Math.round(start.time + Math.max(clock.now() - start.wall, clock.monotonic() - start.monotonic)),
    set: (serverTime) => {
      start = startAt(serverTime)
    },
  }
}
