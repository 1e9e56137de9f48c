// The client's API over the network, and outcomes in a few words.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createApi, type Outcome } from '../../src/client/api.ts'
import { createNetwork, type NetworkOptions } from '../../src/client/network.ts'
import type { Clock } from '../../src/contract/time.ts'
import { quickClock } from '../support/client-api.ts'

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
