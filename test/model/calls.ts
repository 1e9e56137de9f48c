// The requests of a process, and what it got for each: what the rules go by.
import type { Operation } from '../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../src/contract/transport.ts'
import type { Fault } from './histories/steps.ts'
import { textOf } from './service.ts'

/** What the client of a request sees: a true answer, one that a proxy made or changed, or a broken connection. */
export type Carried =
  | { readonly kind: 'answer' | 'changed' | 'cut'; readonly response: HttpResponse }
  | { readonly kind: 'reset' }

export type Sent = {
  readonly operation: Operation
  readonly at: number
  readonly orderId: string | undefined
  /** What the client got, and when. Nothing if it was killed before. */
  got?: Carried['kind'] | 'refused' | 'given up'
  endedAt?: number
  /** The order that a true answer to create names. */
  created?: string
  /** True or not, the answer says that the order is confirmed. */
  isConfirmed?: boolean
}

/** Whoever sends, and what goes wrong for it. */
export type Sender = { readonly id: number; readonly faults: readonly Fault[]; readonly sent: Sent[] }

/** Some byte of it left the process. */
export const hasLeft = ({ got }: Sent): boolean => got !== 'refused'

/** The process does not know what became of it. */
export const isLost = ({ got }: Sent): boolean =>
  got === undefined || got === 'given up' || got === 'reset' || got === 'cut'

const begun = ['confirmed', 'processing', 'successful', 'partial', 'failed', 'rejected']

/** The client has an answer, or has given up. The first of these counts. */
export const endCall = (sent: Sent, end: Carried | 'given up', at: number): void => {
  if (sent.got !== undefined) return
  sent.endedAt = at
  sent.got = end === 'given up' ? end : end.kind
  if (end === 'given up' || end.kind === 'reset' || end.kind === 'cut' || end.response.status !== 200) return
  const { data } = JSON.parse(textOf(end.response))
  if (sent.operation !== 'create') sent.isConfirmed = begun.includes(data.state)
  else if (end.kind === 'answer') sent.created = data.id
}

/** The order that a confirm or get names. */
export const orderIdOf = ({ path, body = '' }: HttpRequest): string | undefined =>
  new URL(path, 'http://service').searchParams.get('orderId') ??
  JSON.parse(Buffer.from(body).toString() || '{}').orderId
