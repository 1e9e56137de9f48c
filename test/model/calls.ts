// The requests of a process and their results, as the rules read them.
import type { Operation } from '../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../src/contract/transport.ts'
import type { Fault } from './histories/steps.ts'
import { type Order, textOf } from './service.ts'

/** The result of a request for its client: the service's response, a changed response, or a broken connection. */
export type Carried =
  | { readonly kind: 'response' | 'changed' | 'cut'; readonly response: HttpResponse }
  | { readonly kind: 'reset' }

export type Sent = {
  readonly operation: Operation
  readonly at: number
  /** The order id in a confirm or get, and the service's order with this id. */
  readonly orderId: string | undefined
  readonly order?: Order | undefined
  /** The result for the client. Missing if it was killed before. */
  got?: Carried['kind'] | 'refused' | 'given up'
  endedAt?: number
  /** The order id in a true response to create. */
  created?: string
  /** The order id in a response to create, true or not, and the request's reference. */
  named?: { readonly id: string; readonly reference: string }
  /** The reference of a create. */
  reference?: string
  /** Whether the response, true or false, shows the order as confirmed. */
  isConfirmed?: boolean
}

/** A process with its machine, faults and requests. */
export type Sender = {
  readonly id: number
  readonly machine: number
  readonly faults: readonly Fault[]
  readonly sent: Sent[]
}

/** At least one byte left the process. */
const hasLeft = ({ got }: Sent): boolean => got !== 'refused'

/** The requests of this kind that left the process. */
export const sentBy = ({ sent }: Pick<Sender, 'sent'>, wanted: Operation): Sent[] =>
  sent.filter((each) => each.operation === wanted && hasLeft(each))

/** The process does not know the outcome. */
export const isLost = ({ got }: Sent): boolean =>
  got === undefined || got === 'given up' || got === 'reset' || got === 'cut'

const begun = ['confirmed', 'processing', 'successful', 'partial', 'failed', 'rejected']

/** The client has a response, or has given up. The first of these counts. */
export const endCall = (sent: Sent, end: Carried | 'given up', at: number): void => {
  if (sent.got !== undefined) return
  sent.endedAt = at
  sent.got = end === 'given up' ? end : end.kind
  if (end === 'given up' || end.kind === 'reset' || end.kind === 'cut' || end.response.status !== 200) return
  const { data } = JSON.parse(textOf(end.response))
  if (sent.operation !== 'create') {
    sent.isConfirmed = begun.includes(data.state)
    return
  }
  sent.named = { id: data.id, reference: sent.reference ?? '' }
  if (end.kind === 'response') sent.created = data.id
}

/** The order id in a confirm or get. */
export const orderIdOf = ({ path, body = '' }: HttpRequest): string | undefined =>
  new URL(path, 'http://service').searchParams.get('orderId') ??
  JSON.parse(Buffer.from(body).toString() || '{}').orderId
