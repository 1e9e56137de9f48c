// The network between processes and service. It delays, drops, repeats and reorders requests, and responds by itself.

import type { Operation } from '../../../src/contract/refusals.ts'
import { findOperation, type HttpRequest, type HttpResponse } from '../../../src/contract/transport.ts'
import { type Carried, orderIdOf, type Sender, type Sent } from '../calls.ts'
import {
  changeCreateAnswer,
  changeGetAnswer,
  isOwnResponse,
  ownResponse,
} from '../histories/proxy-responses.ts'
import type { Fault } from '../histories/steps.ts'
import { epoch, type Order, type Service, textOf } from '../service.ts'
import type { Time } from './time.ts'

export type Network = ReturnType<typeof openNetwork>

/** Before that, orders are placed and confirmed. */
const leapsAfterMs = 60_000

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
  /** How far it is ahead in responses to get. */
  readonly leapMs?: number | undefined
}

/** A pending request: its response, and how to send it again. */
type OnItsWay = {
  readonly operation: Operation
  readonly order: Order | undefined
  /** The order of the response that a proxy repeats. */
  readonly repeated: Order | undefined
  readonly arrived: Promise<HttpResponse>
  readonly repeat: () => Promise<HttpResponse>
}

export const openNetwork = ({ time, service, isDated, leapMs = 0 }: Options) => {
  let isCalm = false
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
    { operation, order }: OnItsWay,
  ): HttpResponse => {
    if (response.status !== 200) return response
    if (operation === 'create') return changeCreateAnswer(response, choice, service)
    const { confirmedAt, knownAt = new Map() } = order ?? {}
    return changeGetAnswer(response, choice, { confirmedAt, isKnown: knownAt.size > 0, now: time.now() })
  }

  const answered = async (fault: Fault, onItsWay: OnItsWay): Promise<Carried> => {
    const { response: choice, responseMs } = fault
    const { repeated, arrived, repeat } = onItsWay
    if (choice === 'never') return never
    const made = isOwnResponse(choice) ? ownResponse(choice) : repeated?.response
    if (choice === 'reset' || made !== undefined) {
      await wayBack(2 * hopMs + responseMs)
      return made === undefined ? { kind: 'reset' } : { kind: 'changed', response: made }
    }
    const first = await arrived
    const own = choice === 'second' ? await repeat() : first
    await wayBack(hopMs + responseMs)
    if (choice === 'cut') return { kind: 'cut', response: { ...own, body: textOf(own).slice(0, 20) } }
    const response = changeAnswer(own, fault, onItsWay)
    return { kind: response === own ? 'response' : 'changed', response }
  }

  const dated = (carried: Carried, operation: Operation): Carried => {
    if (carried.kind === 'reset') return carried
    const { date: _, ...rest } = carried.response.headers
    const ms = epoch + time.now() + (operation === 'get' && !isCalm && time.now() > leapsAfterMs ? leapMs : 0)
    const headers = isDated ? { ...rest, date: new Date(ms).toUTCString() } : rest
    return { ...carried, response: { ...carried.response, headers } }
  }

  return {
    /** Ends all faults. Pending requests still arrive. */
    calm: (): void => {
      isCalm = true
      service.calm()
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
      const order = service.find(orderId)
      const sent: Sent = { operation, at: time.now(), orderId, order }
      if (operation === 'create') sent.reference = JSON.parse(String(request.body)).reference
      sender.sent.push(sent)
      // With the same reference, no one can distinguish the two orders.
      const repeated =
        fault.response === 'repeated'
          ? service.orders.findLast(({ reference }) => reference !== sent.reference)
          : undefined
      const arrivesMs = repeated === undefined ? fault.arrivesMs : 'never'
      const repeat = (): Promise<HttpResponse> => service.take(request, sender.id)
      const arrived = new Promise<HttpResponse>((resolve) => {
        if (arrivesMs !== 'never') time.after(hopMs + arrivesMs, async () => resolve(await repeat()))
      })
      const carried = answered(fault, { operation, order, repeated, arrived, repeat })
      return { sent, carried: carried.then((each) => dated(each, operation)) }
    },
  }
}
