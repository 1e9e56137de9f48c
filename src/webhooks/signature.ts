// Checks the signature of a delivery by Standard Webhooks 1.0.0, symmetric scheme `v1`.
import { builtin } from '../builtin.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../contract/http/webhook-signature.ts'
import { type Delivery, readHeader } from './delivery.ts'

/** The largest difference between the signed time and the time here, as the libraries of the standard allow it. */
const toleranceMs = 5 * 60_000

/** Returns a function that says why a delivery is refused. It returns undefined if the signature is valid. */
export const createSignatureCheck = (secret: string): ((delivery: Delivery) => string | undefined) => {
  const key = readSecretKey(secret)
  return (delivery) => {
    const [id, timestamp, signature] = Object.values(signatureHeaders).map((name) =>
      readHeader(delivery, name),
    )
    if (!id || !timestamp || !signature) return 'not signed'
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
    // Checked before the time, so that a forged time reveals nothing.
    if (!hasValidSignature(delivery, { id, timestamp, signature }, key)) return 'wrong signature'
    const differenceMs = delivery.at - seconds * 1000
    if (Number.isNaN(differenceMs)) return 'no valid timestamp'
    if (differenceMs > toleranceMs) return 'signed more than 5 min ago'
    return differenceMs < -toleranceMs ? 'signed more than 5 min in the future' : undefined
  }
}

type Signed = Readonly<Record<keyof typeof signatureHeaders, string>>

/** The header may hold several signatures, for example while a secret is being replaced. */
const hasValidSignature = (
  { body }: Delivery,
  { id, timestamp, signature }: Signed,
  key: Uint8Array,
): boolean => {
  const { createHmac, timingSafeEqual } = builtin.crypto()
  const hmac = createHmac('sha256', key).update(formatSignedHead(id, timestamp)).update(body)
  const expected = Buffer.from(`${signatureScheme}${hmac.digest('base64')}`)
  return signature
    .split(' ')
    .map((each) => Buffer.from(each))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
