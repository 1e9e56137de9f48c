// A delivery as it was received: its id, its signature by Standard Webhooks 1.0.0 (scheme `v1`), and what is forwarded.
import { builtin } from '../builtin.ts'
import type { Headers } from '../contract/transport.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../contract/webhook-signature.ts'

export type Delivery = {
  /** The values of a repeated header are joined, so that they match no signature. */
  readonly headers: Headers
  readonly body: Uint8Array
  /** When it was received, in milliseconds since the UNIX epoch. */
  readonly at: number
}

/** The id is the same in each attempt, so that the target recognises a duplicate. */
export const deliveryHeader = 'orderctl-delivery'

const longestId = 256
/** The largest difference between the signed time and the time here, as the libraries of the standard allow it. */
const toleranceMs = 5 * 60_000
const forwarded = /^(?:content-type|user-agent|webhook-.*|svix-.*)$/

/** The id that the sender gave to the delivery. It is the same in each attempt. */
export const readDeliveryId = ({ headers }: Delivery): string | null => {
  const id = readHeader(headers, signatureHeaders.id)?.trim() ?? ''
  return id === '' || id.length > longestId ? null : id
}

/** With an order that the service showed. */
export const createHeaders = (deliveryId: string | null): [string, string][] => [
  ['content-type', 'application/json'],
  ...(deliveryId === null ? [] : [[signatureHeaders.id, deliveryId] satisfies [string, string]]),
]

/** The headers that belong to the delivery, not to the connection. */
export const listForwardedHeaders = ({ headers }: Delivery): [string, string][] =>
  Object.entries(headers).filter(([name]) => forwarded.test(name))

/** Svix, the origin of Standard Webhooks, may use its own names. */
const readHeader = (headers: Headers, name: string): string | undefined =>
  headers[name] ?? headers[name.replace(/^webhook-/, 'svix-')]

/** Returns a function that returns why a delivery is refused, or undefined if the signature is valid. */
export const createSignatureCheck = (secret: string): ((delivery: Delivery) => string | undefined) => {
  const key = readSecretKey(secret)
  const { createHmac, timingSafeEqual } = builtin.crypto()
  return ({ headers, body, at }) => {
    const id = readHeader(headers, signatureHeaders.id)
    const timestamp = readHeader(headers, signatureHeaders.timestamp)
    const signatures = readHeader(headers, signatureHeaders.signature)
    if (!id || !timestamp || !signatures) return 'not signed'
    const hmac = createHmac('sha256', key).update(formatSignedHead(id, timestamp)).update(body)
    const expected = Buffer.from(signatureScheme + hmac.digest('base64'))
    // There may be several, for example while a secret is being replaced.
    const isSigned = signatures.split(' ').some((each) => {
      const given = Buffer.from(each)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    // Checked before the time, so that a forged time reveals nothing.
    if (!isSigned) return 'wrong signature'
    const differenceMs = at - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN)
    if (Number.isNaN(differenceMs)) return 'no valid timestamp'
    if (differenceMs > toleranceMs) return 'signed more than 5 min ago'
    return differenceMs < -toleranceMs ? 'signed more than 5 min in the future' : undefined
  }
}
