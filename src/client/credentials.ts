// Section 5: the key on each request. The document shows no scheme, so the profile names one.
import { type Auth, keyProblem } from '../contract/auth.ts'
import type { HttpRequest, HttpResponse, Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'

export const withCredentials = (transport: Transport, auth: Auth, key: string): Transport => {
  // Found here, and in words of ours: whoever writes the header would repeat the key, or its neighbours.
  const problem = keyProblem(key, auth)
  if (problem !== undefined) {
    throw new Failure('credentials', `the key ${problem}`, { fix: 'Copy the key again, alone and in full.' })
  }
  // RFC 7617: a password is sent as UTF-8.
  const basic = Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64')
  const authorized = (request: HttpRequest): HttpRequest => {
    const { path } = request
    const withHeader = (name: string, value: string) => ({
      ...request,
      headers: { ...request.headers, [name]: value },
    })
    switch (auth.kind) {
      case 'bearer':
        return withHeader('authorization', `Bearer ${key}`)
      case 'basic':
        return withHeader('authorization', `Basic ${basic}`)
      case 'header':
        return withHeader(auth.name.toLowerCase(), key)
      case 'query': {
        const pair = new URLSearchParams({ [auth.name]: key })
        return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}${pair}` }
      }
    }
  }
  const encoded = [encodeURIComponent(key), new URLSearchParams({ '': key }).toString().slice(1)]
  const secrets = [...new Set([key, basic, ...encoded, ...key.split(':').slice(1)])]
  return async (request) => withoutSecrets(await transport(authorized(request)), secrets)
}

// A page of errors may repeat the request that brought it about, and its text is shown.
const withoutSecrets = (response: HttpResponse, secrets: readonly string[]): HttpResponse => {
  const { status, body } = response
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  if (status === 200 && text.startsWith('{')) return response
  const clean = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replace(anySpelling(secret), '[key]'), text)
  if (clean === text) return response
  const { 'content-length': _length, ...headers } = response.headers
  return { ...response, headers, body: clean }
}

/** As itself, and as JSON may spell it: each character plain, behind a backslash, or as a \u escape. */
const anySpelling = (secret: string): RegExp =>
  new RegExp(
    Array.from(secret, (character) => {
      const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
      return `(?:\\\\?${RegExp.escape(character)}|\\\\u${hex})`
    }).join(''),
    'gi',
  )
