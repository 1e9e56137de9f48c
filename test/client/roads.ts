// The client's API over the embedded service, in process or over a socket.
import { createNetwork } from '../../src/client/network.ts'
import type { Outcome } from '../../src/client/outcome.ts'
import type { Clock } from '../../src/contract/clock.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { listen } from '../../src/service/socket/listen.ts'
import { apiOver } from '../support/client-api.ts'
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

/** An outcome in a few words, without the message of the service. */
export const brief = (outcome: Outcome<unknown>): string => {
  const { kind } = outcome
  if (kind === 'refused') return `refused ${outcome.status} ${outcome.refusal ?? '-'}`
  return kind === 'unknown' && outcome.status !== undefined ? `unknown ${outcome.status}` : kind
}
