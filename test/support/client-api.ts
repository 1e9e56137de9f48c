// The client's API over the embedded service, in process or over a socket.
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { createNetwork } from '../../src/client/network.ts'
import type { Outcome } from '../../src/client/outcome.ts'
import type { Clock } from '../../src/contract/clock.ts'
import { checkOrderRequest, type OrderRequest } from '../../src/contract/order-request.ts'
import type { HttpRequest, HttpResponse, Transport } from '../../src/contract/transport.ts'
import { listen } from '../../src/service/socket/listen.ts'
import { apiKey, type Line, openService, orderOf } from './embedded.ts'

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

/** A clock on which waits between attempts end at once and are recorded. Deadlines never come. */
export const quickClock = () => {
  const waits: number[] = []
  const clock: Pick<Clock, 'now' | 'sleep'> = {
    now: () => 1_700_000_000_000,
    sleep: async (ms, signal) => {
      if (ms <= 30_000 && ms !== 30_000) waits.push(ms)
      else await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  return { clock, waits }
}

export const request = (lines: readonly (string | Line)[], fields = {}): OrderRequest => {
  const checked = checkOrderRequest(orderOf(lines, fields), 'refused')
  if ('violations' in checked) throw new Error(JSON.stringify(checked.violations))
  return checked.request
}

export const apiOver = (transport: Transport, key: string | undefined = apiKey) => {
  const { clock, waits } = quickClock()
  const authorized = key === undefined ? transport : withCredentials(transport, { kind: 'bearer' }, key)
  return { ...createApi(authorized, { clock, random: () => 0.5 }), waits }
}

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

export type Given = Partial<HttpResponse> | Error

/** A transport that answers with each of these in turn, then repeats the last. */
export const answering = (...answers: readonly Given[]) => {
  const seen: HttpRequest[] = []
  const transport: Transport = async (sent) => {
    seen.push(sent)
    const answer = answers[Math.min(seen.length, answers.length) - 1] ?? {}
    if (answer instanceof Error) throw answer
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '', ...answer }
  }
  return { transport, seen }
}
