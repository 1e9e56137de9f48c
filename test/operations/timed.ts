// An api whose answers set the service's time, as in a session.
import type { Api } from '../../src/client/api.ts'
import type { Clock } from '../../src/contract/clock.ts'
import { observeAnswers } from '../../src/operations/observe-answers.ts'
import { createServiceClock } from '../../src/operations/service-time.ts'

export const timed = (api: Api, clock: Clock) => {
  const { now, set } = createServiceClock(clock)
  return {
    api: observeAnswers(api, { onOrder: async () => {}, onServerTime: set }),
    serviceNow: now,
  }
}
