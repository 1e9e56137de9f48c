// The network between the processes and the service: it delays, drops, repeats and reorders, and answers by itself.
import { findOperation } from '../../../src/contract/endpoints.ts'
import type { Operation } from '../../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../../src/contract/transport.ts'
import { type Carried, orderIdOf, type Sender, type Sent } from '../calls.ts'
import { changeCreateAnswer, changeGetAnswer, ownAnswer } from '../histories/proxy-answers.ts'
import type { Fault } from '../histories/steps.ts'
import { epoch, type Service, textOf } from '../service.ts'
import type { Time } from './time.ts'

export type Network = ReturnType<typeof openNetwork>

/** One way. */
const hopMs = 10

/** A fault that strikes every time does so for this long, or a watch would never end. */
const longestFaultMs = 180_000

const never = new Promise<never>(() => {})

type Options = {
  readonly time: Pick<Time, 'now' | 'after'>
  readonly service: Service
  /** Whether answers say the time. */
  readonly isDated: boolean
}

/** A request on its way: what arrives of it, and how to send it once more. */
type OnItsWay = {
  readonly orderId: string | undefined
  readonly arrived: Promise<HttpResponse>
  readonly repeat: () => Promise<HttpResponse>
}

export const openNetwork = ({ time, service, isDated }: Options) => {
  let isCalm = false
  /** Since when the journal knows which orders to be confirmed. */
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
    { answer }: Fault,
    orderId: string | undefined,
  ): HttpResponse => {
    if (response.status !== 200) return response
    if (orderId === undefined) return changeCreateAnswer(response, answer, service)
    const confirmedAt = service.confirmedAt(orderId)
    return changeGetAnswer(response, answer, { confirmedAt, isKnown: known.has(orderId), now: time.now() })
  }

  const answered = async (fault: Fault, { orderId, arrived, repeat }: OnItsWay): Promise<Carried> => {
    const { answer, answerMs } = fault
    if (answer === 'never') return never
    if (answer === 'reset' || answer === 'html' || typeof answer === 'number') {
      await wayBack(2 * hopMs + answerMs)
      return answer === 'reset' ? { kind: 'reset' } : { kind: 'changed', response: ownAnswer(answer) }
    }
    const first = await arrived
    const own = answer === 'second' ? await repeat() : first
    await wayBack(hopMs + answerMs)
    if (answer === 'cut') return { kind: 'cut', response: { ...own, body: textOf(own).slice(0, 20) } }
    const response = changeAnswer(own, fault, orderId)
    return { kind: response === own ? 'answer' : 'changed', response }
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
    /** From now on nothing goes wrong, but what is under way still arrives. */
    calm: (): void => {
      isCalm = true
    },
    /** Whether the next request of this kind finds nobody to connect to. */
    isRefused: (sender: Sender, operation: Operation): boolean =>
      faultOf(sender, operation)?.answer === 'refuse',
    /** The request has left the process, and cannot be called back. What the client sees may never come. */
    carry: (sender: Sender, request: HttpRequest): { sent: Sent; carried: Promise<Carried> } => {
      const operation = findOperation(request.method, request.path)
      if (operation === undefined) throw new Error(`nobody asks ${request.method} ${request.path}`)
      const usual: Fault = { on: operation, nth: 0, answer: 'own', arrivesMs: 0, answerMs: 0 }
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
