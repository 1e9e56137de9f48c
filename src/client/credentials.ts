// Adds the key to each request (order-service.md 5). The scheme is not documented, so the profile sets it.
import type { Auth } from '../contract/auth.ts'
import type { HttpRequest, HttpResponse, Transport } from '../contract/transport.ts'
import { detectKind, isSuccess } from './answer.ts'

/** The key must come from cleanKey: undici's error for an invalid header would contain it. */
export const withCredentials = (transport: Transport, auth: Auth, key: string): Transport => {
  // RFC 7617 recommends UTF-8.
  const basic = Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64')
  const authorize = (request: HttpRequest): HttpRequest => {
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
  return async (request) => maskSecrets(await transport(authorize(request)), secrets)
}

const shownHeaders = ['x-request-id', 'request-id', 'location']

// An answer may repeat its request, so everything that may be shown is masked. The JSON of a success is exempt: it is
// shown field by field, and a short key may be an ordinary word in it.
const maskSecrets = (response: HttpResponse, secrets: readonly string[]): HttpResponse => {
  const spellings = secrets.filter((secret) => secret.length >= 4).map(matchSpellings)
  const clean = (text: string): string => spellings.reduce((rest, each) => rest.replace(each, '[key]'), text)
  const shown = shownHeaders.flatMap((name) => {
    const value = response.headers[name]
    return value === undefined ? [] : [[name, clean(value)] as const]
  })
  const headers = { ...response.headers, ...Object.fromEntries(shown) }
  const { status, body } = response
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const isData = isSuccess(status) && detectKind(headers['content-type'], text) === 'json'
  const cleaned = isData ? text : clean(text)
  if (cleaned === text) return { ...response, headers }
  const { 'content-length': _length, ...others } = headers
  return { ...response, headers: others, body: cleaned }
}

/** Matches each character of a secret as JSON may write it: plain, after a backslash, or as a \u escape. */
const matchSpellings = (secret: string): RegExp =>
  new RegExp(
    Array.from(secret, (character) => {
      const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      const escapes = units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join('')
      return `(?:\\\\?${RegExp.escape(character)}|${escapes})`
    }).join(''),
    'gi',
  )
