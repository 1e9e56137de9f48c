// A session whose responses set the service's time and are recorded, as in a command.
import { type ApiOptions, createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { type Clock, createServiceClock } from '../../src/contract/time.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { openJournal } from '../../src/journal/file-journal.ts'
import type { Journal } from '../../src/journal/journal.ts'
import type { Session } from '../../src/operations/dependencies.ts'
import type { Offer } from '../../src/operations/offer.ts'
import { request } from '../support/client-api.ts'
import { apiKey, openService } from '../support/embedded.ts'

type Options = Omit<ApiOptions, 'clock'> & Pick<Session, 'clock' | 'journal' | 'owner'>

/** What records responses in this journal. Its failures are thrown. */
export const recordingIn = (
  journal: Journal,
): Pick<Session, 'journals' | 'owner' | 'seenCards' | 'onOvercharge'> => ({
  journals: { attempt: (_, work) => work(journal) },
  owner,
  seenCards: { duplicates: new Map(), unrecorded: new Map() },
  onOvercharge: () => {},
})

const createSession = (transport: Transport, { journal, owner, ...options }: Options): Session => {
  const { clock } = options
  const { now, set } = createServiceClock(clock)
  return {
    ...recordingIn(journal),
    ...{ clock, journal, owner, interrupted: new AbortController().signal },
    api: createApi(transport, { ...options, onServerTime: set }),
    serviceNow: now,
  }
}

export const owner = { profile: 'test', origin: 'test:', account: { address: 'test' } }

/**
 * A session of the service in process. Waits between calls end at once, are recorded, and pass for the service. No call
 * reaches its deadline.
 */
export const openSession = async (wrap: (transport: Transport) => Transport = (transport) => transport) => {
  const seen: string[] = []
  const service = await openService({
    onRequest: ({ path }) => void seen.push(path.replace(/^\/order\/(\w+).*/, '$1')),
  })
  const waits: number[] = []
  const clock: Clock = {
    ...service.clock,
    sleep: async (ms, signal) => {
      if ([30_000, 45_000, 80_000].includes(ms)) return new Promise<void>(() => {})
      if (signal?.aborted) return
      waits.push(ms)
      service.clock.advance(ms)
    },
  }
  const transport = withCredentials(wrap(service.transport), { kind: 'bearer' }, apiKey)
  const journal = await openJournal(':memory:')
  const session = createSession(transport, { clock, random: () => 0.5, journal, owner })
  return { service, seen, waits, journal, session, clock }
}

/** How a promise fails, or 'done'. */
export const ending = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
    return 'done'
  } catch (error) {
    return error instanceof Failure ? error.kind : error
  }
}

export const offerOf = (orderId: string): Offer => ({
  orderId,
  reference: 'a reference',
  total: request(['GAME-US']).productList[0]?.quote as Offer['total'],
  wallet: 'USD',
  expiresAt: 10_000,
})
