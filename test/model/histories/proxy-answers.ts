// Answers that a proxy makes, or makes of the service's own. Each is one that a real proxy has given.
import type { HttpResponse } from '../../../src/contract/transport.ts'
import { type Service, textOf } from '../service.ts'
import type { Answer } from './steps.ts'

/** A cache may be this old: of two reads 60 s apart, both later than expiry plus 60 s, one is not. */
const stalestMs = 115_000

const words: Readonly<Record<number, string>> = { 404: 'Not Found', 419: 'Expired', 429: 'Too Many Requests' }

/** An answer of the proxy itself. */
export const ownAnswer = (answer: number | 'html'): HttpResponse =>
  answer === 'html'
    ? {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><title>Bad Gateway</title></html>',
      }
    : {
        status: answer,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: words[answer] ?? 'No' }),
      }

// biome-ignore lint/suspicious/noExplicitAny: the answer of the service, about to be changed.
const changed = (response: HttpResponse, change: (data: any) => void): HttpResponse => {
  const document = JSON.parse(textOf(response))
  change(document.data)
  return { ...response, body: JSON.stringify(document) }
}

const inState = (response: HttpResponse, state: string): HttpResponse =>
  changed(response, (data) => Object.assign(data, { state, redeem: undefined }))

/** What get shows of an order. Whether it is known to be confirmed decides how long a lie may last. */
export const changeGetAnswer = (
  response: HttpResponse,
  answer: Answer,
  { confirmedAt, isKnown, now }: { confirmedAt: number | undefined; isKnown: boolean; now: number },
): HttpResponse => {
  const isConfirmed = confirmedAt !== undefined
  switch (answer) {
    case 'stale':
      return isConfirmed && (isKnown || now - confirmedAt <= stalestMs)
        ? inState(response, 'created')
        : response
    case 'on_hold':
    case 'pending':
      return isConfirmed ? inState(response, answer) : response
    case 'other':
      return changed(response, (data) => {
        data.reference = `${data.reference}-of-another`
        data.invoice.total = 495
      })
    default:
      return response
  }
}

/** What create is answered: the order of an earlier answer, or an invoice that does not add up. */
export const changeCreateAnswer = (
  response: HttpResponse,
  answer: Answer,
  { orders }: Service,
): HttpResponse => {
  const earlier = [...orders.values()].at(-2)
  if (answer === 'swapped' && earlier !== undefined) return earlier.answer
  if (answer === 'unexpected') return changed(response, (data) => Object.assign(data.invoice, { total: 1 }))
  return response
}
