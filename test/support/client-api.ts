// The client's API over a transport, and transports with scripted responses.
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { checkOrderRequest, type OrderRequest } from '../../src/contract/order/order-request.ts'
import type { Clock } from '../../src/contract/time.ts'
import type { HttpRequest, HttpResponse, Transport } from '../../src/contract/transport.ts'
import { apiKey, type Line, orderOf } from './embedded.ts'

/** A clock on which waits between attempts end at once and are recorded. Deadlines never come. */
export const quickClock = () => {
  const waits: number[] = []
  const clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'> = {
    now: () => 1_700_000_000_000,
    monotonic: () => 0,
    sleep: async (ms, signal) => {
      if (ms <= 30_000 && ms !== 30_000) waits.push(ms)
      else await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  return { clock, waits }
}

export const request = (lines: readonly (string | Line)[], fields = {}): OrderRequest => {
  const checked = checkOrderRequest(orderOf(lines, fields), 'refused')
  if (checked.request === undefined) throw new Error(JSON.stringify(checked.violations))
  return checked.request
}

export const apiOver = (transport: Transport, key: string | undefined = apiKey) => {
  const { clock, waits } = quickClock()
  const authorized = key === undefined ? transport : withCredentials(transport, { kind: 'bearer' }, key)
  return { ...createApi(authorized, { clock, random: () => 0.5 }), waits }
}

export type Given = Partial<HttpResponse> | Error

/** A transport that responds with each of these in turn, then repeats the last. */
export const responding = (...responses: readonly Given[]) => {
  const seen: HttpRequest[] = []
  const transport: Transport = async (sent) => {
    seen.push(sent)
    const response = responses[Math.min(seen.length, responses.length) - 1] ?? {}
    if (response instanceof Error) throw response
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '', ...response }
  }
  return { transport, seen }
}
