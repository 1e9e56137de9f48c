// A session whose responses set the service's time and are recorded, as in a command.
import { type ApiOptions, createApi } from '../../src/client/api.ts'
import { createServiceClock } from '../../src/contract/clock.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { recordRead } from '../../src/operations/read.ts'
import type { Session } from '../../src/operations/session.ts'

type Options = Omit<ApiOptions, 'clock'> & Pick<Session, 'clock' | 'journal' | 'owner'>

export const createSession = (transport: Transport, { journal, owner, ...options }: Options): Session => {
  const { clock } = options
  const { now, set } = createServiceClock(clock)
  return {
    ...{ clock, journal, owner, interrupted: new AbortController().signal },
    api: createApi(transport, { ...options, onServerTime: set }),
    serviceNow: now,
    record: (orderId, response, entry) =>
      recordRead({ journal, owner }, { orderId, entry }, response, clock.now()),
  }
}
