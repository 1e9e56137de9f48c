// An api whose responses set the service's time, as in a session. Nothing that it reads is recorded.
import { type ApiOptions, createApi } from '../../src/client/api.ts'
import { type Clock, createServiceClock } from '../../src/contract/clock.ts'
import type { Transport } from '../../src/contract/transport.ts'

export const timed = (transport: Transport, options: ApiOptions & { readonly clock: Clock }) => {
  const { now, set } = createServiceClock(options.clock)
  return {
    api: createApi(transport, { ...options, onServerTime: set }),
    serviceNow: now,
    record: async () => {},
  }
}
