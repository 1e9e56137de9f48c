// Signs deliveries with the headers of Standard Webhooks 1.0.0, symmetric scheme `v1`.
// Spec silent: how a receiver checks a delivery. Receivers can use the libraries of this standard.
import { builtin } from '../../builtin.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../../contract/http/webhook-signature.ts'

/** `at` is the time of the attempt, because receivers refuse timestamps that are minutes old. */
export const createSignatureHeaders = (
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  secret: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = builtin
    .crypto()
    .createHmac('sha256', readSecretKey(secret))
    .update(formatSignedHead(id, timestamp) + body)
    .digest('base64')
  return {
    [signatureHeaders.id]: id,
    [signatureHeaders.timestamp]: timestamp,
    [signatureHeaders.signature]: `${signatureScheme}${signature}`,
  }
}
