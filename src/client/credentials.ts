// Adds the key to each request (order-service.md 5) and masks it in each response. The scheme is not documented, so the
// profile sets it.
import type { Auth } from '../contract/auth.ts'
import { CutOffError, type HttpRequest, type Transport } from '../contract/transport.ts'
import { createKeyMask, minLength } from './mask-key.ts'

/** The key must come from cleanKey: undici's error for an invalid header would contain it. */
export const withCredentials = (transport: Transport, auth: Auth, key: string): Transport => {
  // RFC 7617 recommends UTF-8.
  const basic = Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64')
  const authorization = auth.kind === 'basic' ? `Basic ${basic}` : `Bearer ${key}`
  const header = auth.kind === 'header' ? { [auth.name.toLowerCase()]: key } : { authorization }
  const authorize = (request: HttpRequest): HttpRequest => {
    const { path, headers } = request
    if (auth.kind !== 'query') return { ...request, headers: { ...headers, ...header } }
    const pair = new URLSearchParams({ [auth.name]: key })
    return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}${pair}` }
  }
  const { mask } = createMask(auth, key)
  return async (request) => {
    try {
      return mask(request, await transport(authorize(request)))
    } catch (error) {
      throw error instanceof CutOffError
        ? new CutOffError(error.message, mask(request, error.response))
        : error
    }
  }
}

/** Whether a response with this text would arrive changed. */
export const createSecretTest = (auth: Auth, key: string): ((text: string) => boolean) =>
  createMask(auth, key).changes

const createMask = (auth: Auth, key: string) => {
  if (auth.kind !== 'basic') return createKeyMask([key])
  const [user = '', ...rest] = key.split(':')
  const password = rest.join(':')
  // Without a password, some services take the key as the user name.
  if (password === '') return createKeyMask([key, user].filter(Boolean))
  const isNameMasked = password.length < minLength && user !== ''
  return createKeyMask([key, password], isNameMasked ? [user] : [])
}
