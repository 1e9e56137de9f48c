// The signatures of Standard Webhooks 1.0.0, symmetric scheme `v1`: the secret, the headers, and the text that is signed.

const secretPrefix = 'whsec_'
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/

export const signatureHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** The scheme and the separator before the signature in base64. */
export const signatureScheme = 'v1,'

/** Undefined if the secret is valid. The standard recommends 24 to 64 bytes, but does not require them. */
export const findSecretProblem = (secret: string): string | undefined => {
  if (secret === '') return 'it is empty'
  if (/^wh[sp]k_/.test(secret))
    return `ed25519 keys are not supported; use ${secretPrefix} followed by base64, or any text`
  if (!secret.startsWith(secretPrefix)) return undefined
  const encoded = secret.slice(secretPrefix.length)
  return encoded !== '' && base64.test(encoded) ? undefined : `${secretPrefix} must be followed by base64`
}

/** The key of a valid secret. A secret without the prefix is its own key, in UTF-8. */
export const readSecretKey = (secret: string): Uint8Array =>
  secret.startsWith(secretPrefix)
    ? Uint8Array.from(atob(secret.slice(secretPrefix.length)), (character) => character.charCodeAt(0))
    : new TextEncoder().encode(secret)

/** Comes before the body. */
export const formatSignedHead = (id: string, timestamp: string): string => `${id}.${timestamp}.`
