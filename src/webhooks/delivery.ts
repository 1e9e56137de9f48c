// A delivery as it was received, and its headers.
import { signatureHeaders } from '../contract/http/webhook-signature.ts'

export type Delivery = {
  /** With lower-case names. A repeated header has several entries. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** When it was received, in milliseconds since the UNIX epoch. */
  readonly at: number
}

/** Undefined if the header is missing. Repeated values are joined, so that they match no signature. */
export const readHeader = (delivery: Pick<Delivery, 'headers'>, name: string): string | undefined =>
  // Svix, the origin of Standard Webhooks, may use names of its own.
  joinValues(delivery, name) ?? joinValues(delivery, name.replace(/^webhook-/, 'svix-'))

const joinValues = ({ headers }: Pick<Delivery, 'headers'>, wanted: string): string | undefined => {
  const found = headers.filter(([name]) => name === wanted).map(([, value]) => value)
  return found.length === 0 ? undefined : found.join(', ')
}

/** Has the same id in each attempt, so that the target recognises a repetition. */
export const deliveryHeader = 'orderctl-delivery'

const longestId = 256

/** The id that the sender gave to the delivery. It is the same in each attempt. */
export const readDeliveryId = (delivery: Pick<Delivery, 'headers'>): string | undefined => {
  const id = readHeader(delivery, signatureHeaders.id)?.trim()
  return id === undefined || id === '' || id.length > longestId ? undefined : id
}

const forwarded = /^(?:content-type|user-agent|webhook-.*|svix-.*)$/

/** The headers that belong to the delivery, not to the connection. */
export const listForwardedHeaders = ({ headers }: Pick<Delivery, 'headers'>): Delivery['headers'] =>
  headers.filter(([name]) => forwarded.test(name))
