// Signs deliveries with the headers of Standard Webhooks 1.0.0, symmetric scheme `v1`.
// Spec silent: how a receiver checks a delivery. Receivers can use the libraries of this standard.
import { builtin } from '../../builtin.ts'

const prefix = 'whsec_'
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/

/** Undefined if the secret is valid. The standard recommends 24 to 64 bytes, but does not require them. */
export const findSecretProblem = (secret: string): string | undefined => {
  if (secret === '') return 'it is empty'
  if (/^wh[sp]k_/.test(secret))
    return `ed25519 keys are not supported; use ${prefix} followed by base64, or any text`
  if (!secret.startsWith(prefix)) return undefined
  const encoded = secret.slice(prefix.length)
  return encoded !== '' && base64.test(encoded) ? undefined : `${prefix} must be followed by base64`
}

const readKey = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret, 'utf8')

/** `at` is the time of the attempt, because receivers refuse timestamps that are minutes old. */
export const createSignatureHeaders = (
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  secret: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = builtin
    .crypto()
    .createHmac('sha256', readKey(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
