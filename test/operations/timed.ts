// An api whose responses set the service's time, as in a session.
import type { Api } from '../../src/client/api.ts'
import type { Clock } from '../../src/contract/clock.ts'
import { createServiceClock, recordReads } from '../../src/operations/record-reads.ts'

export const timed = (api: Api, clock: Clock) => {
  const { now, set } = createServiceClock(clock)
  return {
    api: recordReads(api, { record: async () => {}, onServerTime: set }),
    serviceNow: now,
  }
}
