// Responses that a proxy makes up or changes. Real proxies have given each of them.
import type { HttpResponse } from '../../../src/contract/transport.ts'
import { type Service, textOf } from '../service.ts'
import { oddWords, type Response } from './steps.ts'

/** The greatest age of a cached response. Of two reads 60 s apart, after expiry plus 60 s, one is newer. */
const stalestMs = 115_000

const words: Readonly<Record<number, string>> = { 404: 'Not Found', 419: 'Expired', 429: 'Too Many Requests' }

export type OwnResponse = Extract<Response, number | 'html' | 'busy' | 'overloaded'>

export const isOwnResponse = (answer: Response): answer is OwnResponse =>
  typeof answer === 'number' || answer === 'html' || answer in retryAfter

const retryAfter: Readonly<Record<string, string>> = { busy: '2', overloaded: '240' }

/** A response that the proxy makes itself. */
export const ownResponse = (answer: OwnResponse): HttpResponse => {
  if (answer === 'html') {
    const body = '<html><title>Bad Gateway</title></html>'
    return { status: 502, headers: { 'content-type': 'text/html' }, body }
  }
  const status = typeof answer === 'number' ? answer : 429
  const wait = retryAfter[answer]
  return {
    status,
    headers: { 'content-type': 'application/json', ...(wait === undefined ? {} : { 'retry-after': wait }) },
    body: JSON.stringify({ message: words[status] ?? 'No' }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the response of the service, about to be changed.
const changed = (response: HttpResponse, change: (data: any) => void): HttpResponse => {
  const document = JSON.parse(textOf(response))
  change(document.data)
  return { ...response, body: JSON.stringify(document) }
}

const inState = (response: HttpResponse, state: string): HttpResponse =>
  changed(response, (data) => Object.assign(data, { state, redeem: undefined }))

/** Changes a response to get. A stale state may be older if the journal already knows the confirm. */
export const changeGetAnswer = (
  response: HttpResponse,
  answer: Response,
  { confirmedAt, isKnown, now }: { confirmedAt: number | undefined; isKnown: boolean; now: number },
): HttpResponse => {
  if (answer === 'other')
    return changed(response, (data) => {
      data.reference = `${data.reference}-of-another`
      data.invoice.total = 495
    })
  if (confirmedAt === undefined) return response
  if (answer === 'stale')
    return isKnown || now - confirmedAt <= stalestMs ? inState(response, 'created') : response
  const isState = answer === 'processing' || (oddWords as readonly Response[]).includes(answer)
  return isState ? inState(response, String(answer)) : response
}

/** Changes a response to create: an earlier order, or an invoice with a wrong total. */
export const changeCreateAnswer = (
  response: HttpResponse,
  answer: Response,
  { orders }: Service,
): HttpResponse => {
  const earlier = orders.at(-2)
  if (answer === 'swapped' && earlier !== undefined) return earlier.response
  if (answer === 'unexpected') return changed(response, (data) => Object.assign(data.invoice, { total: 1 }))
  return response
}
