// The client's API over the embedded service, in process or over a socket, and over the network.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { createNetwork, type NetworkOptions } from '../../src/client/network.ts'
import type { Outcome } from '../../src/client/outcome.ts'
import type { Clock } from '../../src/contract/clock.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { listen } from '../../src/server/http-server.ts'
import { apiOver, quickClock } from '../support/client-api.ts'
import { openService } from '../support/embedded.ts'

type OpenOptions = Parameters<typeof openService>[0]

const overNetwork = async (transport: Transport, clock: Clock) => {
  const listener = await listen(transport, { host: '127.0.0.1', port: 0, clock })
  const network = createNetwork({ baseUrl: listener.origin, environment: {} })
  return {
    transport: network,
    close: async () => {
      await network.close()
      await listener.close()
    },
  }
}

const inProcess = async (transport: Transport) => ({ transport, close: async () => {} })

/** For `describe.each`: one suite, both ways. */
export const roads = [
  ['in process', inProcess],
  ['over the network', overNetwork],
] as const

export const openApi = async (options: OpenOptions & object = {}) => {
  const seen: string[] = []
  const service = await openService({ ...options, onRequest: ({ method }) => void seen.push(method) })
  return { service, seen, api: apiOver(service.transport) }
}

type ClientOptions = Partial<NetworkOptions> & {
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  readonly timeoutMs?: number
}

/** The client over the network. By default, waits between attempts end at once. */
export const openClient = (baseUrl: string, { clock, timeoutMs, ...options }: ClientOptions = {}) => {
  const network = createNetwork({ baseUrl, environment: {}, ...options })
  onTestFinished(() => network.close())
  const quick = quickClock()
  const api = createApi(network, { clock: clock ?? quick.clock, random: () => 0, timeoutMs })
  return { ...api, network, waits: quick.waits }
}

/** Trusts the certificates during this test. */
export const trust = (...certificates: readonly string[]): void => {
  const before = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, ...certificates])
}

/** An outcome in a few words, without the service's message. */
export const brief = (outcome: Outcome<unknown>): string => {
  const { kind } = outcome
  if (kind === 'refused') return `refused ${outcome.status} ${outcome.refusal ?? '-'}`
  return kind === 'unknown' && outcome.status !== undefined ? `unknown ${outcome.status}` : kind
}
