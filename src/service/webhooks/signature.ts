// How a delivery proves where it comes from: the headers of Standard Webhooks 1.0.0, symmetric scheme `v1`.
// Spec silent (section 6, authenticity checks): this public standard, whose libraries receivers can use.
import { builtin } from '../../builtin.ts'

const prefix = 'whsec_'
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/

/** What is wrong with a secret, or undefined. The standard's 24 to 64 bytes are its advice, not a condition. */
export const secretProblem = (secret: string): string | undefined => {
  if (secret === '') return 'the secret is empty'
  if (/^wh[sp]k_/.test(secret))
    return `an ed25519 key cannot sign here: give ${prefix} and base64, or any text`
  if (!secret.startsWith(prefix)) return undefined
  const encoded = secret.slice(prefix.length)
  if (encoded === '') return `${prefix} has no secret after it`
  return base64.test(encoded) ? undefined : `${prefix} must be followed by base64`
}

const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret, 'utf8')

/** `at` is the attempt's time, not the event's: receivers refuse what is minutes old. */
export const signatureHeaders = (
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  secret: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = builtin
    .crypto()
    .createHmac('sha256', keyOf(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
