// The network between processes and service. It delays, drops, repeats and reorders requests, and responds by itself.
import { findOperation } from '../../../src/contract/endpoints.ts'
import type { Operation } from '../../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../../src/contract/transport.ts'
import { type Carried, orderIdOf, type Sender, type Sent } from '../calls.ts'
import {
  changeCreateAnswer,
  changeGetAnswer,
  isOwnResponse,
  ownResponse,
} from '../histories/proxy-responses.ts'
import type { Fault } from '../histories/steps.ts'
import { epoch, type Service, textOf } from '../service.ts'
import type { Time } from './time.ts'

export type Network = ReturnType<typeof openNetwork>

/** The delay in one direction. */
const hopMs = 10

/** A permanent fault ends after this time, so that a watch can end. */
const longestFaultMs = 180_000

const never = new Promise<never>(() => {})

type Options = {
  readonly time: Pick<Time, 'now' | 'after'>
  readonly service: Service
  /** Whether responses have a Date header. */
  readonly isDated: boolean
}

/** A request under way: its response, and how to send it again. */
type OnItsWay = {
  readonly orderId: string | undefined
  readonly arrived: Promise<HttpResponse>
  readonly repeat: () => Promise<HttpResponse>
}

export const openNetwork = ({ time, service, isDated }: Options) => {
  let isCalm = false
  /** When the journal learned that an order is confirmed. */
  const known = new Map<string, number>()

  const wayBack = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      time.after(ms, resolve, 'delivery')
    })

  const faultOf = ({ faults, sent }: Sender, operation: Operation): Fault | undefined => {
    const before = sent.filter((each) => each.operation === operation)
    const isLong = time.now() - (before[0]?.at ?? time.now()) > longestFaultMs
    const struck = [before.length + 1, ...(isLong ? [] : [0])]
    return isCalm ? undefined : faults.find(({ on, nth }) => on === operation && struck.includes(nth))
  }

  const changeAnswer = (
    response: HttpResponse,
    { response: choice }: Fault,
    orderId: string | undefined,
  ): HttpResponse => {
    if (response.status !== 200) return response
    if (orderId === undefined) return changeCreateAnswer(response, choice, service)
    const confirmedAt = service.confirmedAt(orderId)
    return changeGetAnswer(response, choice, { confirmedAt, isKnown: known.has(orderId), now: time.now() })
  }

  const answered = async (fault: Fault, { orderId, arrived, repeat }: OnItsWay): Promise<Carried> => {
    const { response: choice, responseMs } = fault
    if (choice === 'never') return never
    if (choice === 'reset' || isOwnResponse(choice)) {
      await wayBack(2 * hopMs + responseMs)
      return choice === 'reset' ? { kind: 'reset' } : { kind: 'changed', response: ownResponse(choice) }
    }
    const first = await arrived
    const own = choice === 'second' ? await repeat() : first
    await wayBack(hopMs + responseMs)
    if (choice === 'cut') return { kind: 'cut', response: { ...own, body: textOf(own).slice(0, 20) } }
    const response = changeAnswer(own, fault, orderId)
    return { kind: response === own ? 'response' : 'changed', response }
  }

  const dated = (carried: Carried): Carried => {
    if (carried.kind === 'reset') return carried
    const { date: _, ...rest } = carried.response.headers
    const headers = isDated ? { ...rest, date: new Date(epoch + time.now()).toUTCString() } : rest
    return { ...carried, response: { ...carried.response, headers } }
  }

  return {
    known,
    noteKnown: (orderId: string): void => {
      if (!known.has(orderId)) known.set(orderId, time.now())
    },
    /** Ends all faults. Requests under way still arrive. */
    calm: (): void => {
      isCalm = true
    },
    /** Whether the next request of this kind cannot connect. */
    isRefused: (sender: Sender, operation: Operation): boolean =>
      faultOf(sender, operation)?.response === 'refuse',
    /** Sends a request, which cannot be recalled. The result may never arrive. */
    carry: (sender: Sender, request: HttpRequest): { sent: Sent; carried: Promise<Carried> } => {
      const operation = findOperation(request.method, request.path)
      if (operation === undefined) throw new Error(`nobody asks ${request.method} ${request.path}`)
      const usual: Fault = { on: operation, nth: 0, response: 'own', arrivesMs: 0, responseMs: 0 }
      const fault = faultOf(sender, operation) ?? usual
      const orderId = operation === 'create' ? undefined : orderIdOf(request)
      const sent: Sent = { operation, at: time.now(), orderId }
      sender.sent.push(sent)
      const { arrivesMs } = fault
      const repeat = (): Promise<HttpResponse> => service.take(request, sender.id)
      const arrived = new Promise<HttpResponse>((resolve) => {
        if (arrivesMs !== 'never') time.after(hopMs + arrivesMs, async () => resolve(await repeat()))
      })
      return { sent, carried: answered(fault, { orderId, arrived, repeat }).then(dated) }
    },
  }
}
