// Adds the key to each request (order-service.md 5), and masks it in each response, because a response may repeat its request.
// The key may be encoded there for HTML, a URL or JSON, in several layers. Then the whole text is hidden. No other file masks it.

import type { Auth } from '../contract/auth.ts'
import {
  CutOffError,
  findOperation,
  type HttpRequest,
  type HttpResponse,
  stripQuery,
  type Transport,
} from '../contract/transport.ts'
import { decodeHtmlStrict } from '../text/known-codes.ts'
import { detectKind, isSuccess, salvageId } from './response.ts'

// All texts here are bytes of UTF-8, one a character: a character of a key may be encoded by its bytes.
const toBytes = (text: string): string => Buffer.from(text).toString('latin1')
const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()

/** A character as HTML, a URL or JSON writes it. */
const encoded = new RegExp(
  [
    String.raw`(&(?:#\d+|#x[\da-f]+|[a-z]{2,24}\b));?`,
    String.raw`%([\da-f]{2})`,
    String.raw`\\+u(d[89ab][\da-f]{2})\\+u(d[c-f][\da-f]{2})`,
    String.raw`\\+u([\da-f]{4})`,
    String.raw`\\+([^%&]?)`,
  ].join('|'),
  'gis',
)

const fromHex = (digits = ''): number => Number.parseInt(digits, 16)

type Groups = readonly (string | undefined)[]

/** Leaves out backslashes, because each layer of encoding may double them. */
const decodeOne = (found: string, groups: Groups): string => readOne(found, groups).replace('\\', '')

const readOne = (found: string, [entity, byte, high, low, unit, escaped]: Groups): string => {
  if (escaped !== undefined) return escaped
  if (byte !== undefined) return String.fromCharCode(fromHex(byte))
  if (entity !== undefined) return toBytes(decodeEntity(entity) ?? found)
  if (low !== undefined) return toBytes(String.fromCharCode(fromHex(high), fromHex(low)))
  return toBytes(String.fromCharCode(fromHex(unit)))
}

/** In any letter case. Undefined if no character has this name. */
const decodeEntity = (entity: string): string | undefined =>
  [entity, entity.toLowerCase()]
    .map((each) => decodeHtmlStrict(`${each};`))
    .find((decoded) => decoded.length < entity.length)

// Most are escapes such as \n. Without a function, V8 replaces them five times as fast.
const decodeOnce = (text: string): string =>
  text.replace(/\\+(?!u)/gi, '').replace(encoded, (found, ...groups) => decodeOne(found, groups))

/** A text may be encoded for HTML in JSON, or twice for a URL. */
const maxLayers = 4

const decode = (text: string): string => {
  let decoded = text
  for (let layer = 0; layer < maxLayers && /[\\%&]/.test(decoded); layer += 1) {
    const outer = decoded
    decoded = decodeOnce(outer)
    // The query of a link has an & that encodes nothing.
    if (decoded === outer) break
  }
  return decoded
}

const shown = '[key]'

/** A shorter secret may be an ordinary word, so it is masked only if it is a whole value. */
const minLength = 8

type KeyMask = {
  /** Throws if a new order's id contains the key: the id could neither be masked nor printed. */
  readonly mask: (request: HttpRequest, response: HttpResponse) => HttpResponse
  /** Whether the mask changes this text in a response. */
  readonly changes: (text: string) => boolean
}

/** `names`: masked only as whole values, whatever their length. */
const createKeyMask = (secrets: readonly string[], names: readonly string[] = []): KeyMask => {
  const { long = [], short = [] } = Object.groupBy(secrets, ({ length }) =>
    length < minLength ? 'short' : 'long',
  )
  const forms = long.flatMap(listForms)
  const wholes = new Set(
    [...short, ...names]
      .map(toBytes)
      .flatMap((secret) => [secret, ...bothBase64(secret), ...bothBase64(`${secret}:`)])
      .map(toWhole)
      .filter(Boolean),
  )
  const includesAny = (text: string, wanted: readonly string[]): boolean => {
    if (wanted.length === 0) return false
    const found = decode(text).toLowerCase()
    return wanted.some((each) => found.includes(each))
  }
  // Two links that contain the key must still differ.
  const literal = long.length > 0 && new RegExp(long.map(toBytes).map(RegExp.escape).join('|'), 'gi')
  const all = [...forms, ...wholes]
  const maskValue = (text: string): string => {
    if (!includesAny(text, all)) return text
    if (wholes.has(toWhole(text))) return shown
    if (!includesAny(text, forms)) return text
    const masked = literal ? text.replace(literal, shown) : text
    return includesAny(masked, forms) ? shown : masked
  }

  /** Leaves numbers, and texts that the request itself contains, such as the order id. */
  const maskJson = (text: string, request: HttpRequest): string => {
    let sent: ReadonlySet<string> | undefined
    const isSent = (value: string): boolean => {
      sent ??= listSent(request)
      return sent.has(decode(value))
    }
    const names = new Map<string, string>()
    const maskName = (name: string): string => {
      if (!includesAny(name, forms)) return name
      // An object with a name twice would be malformed.
      const masked = names.get(name) ?? (names.size === 0 ? shown : `${shown} ${names.size + 1}`)
      names.set(name, masked)
      return masked
    }
    return text.replace(jsonString, (whole, value: string, end: string) => {
      const masked = end.endsWith(':') ? maskName(value) : maskValue(value)
      return masked === value || isSent(value) ? whole : `"${masked}${end}`
    })
  }

  const maskBody = (request: HttpRequest, response: HttpResponse): HttpResponse => {
    const text = Buffer.from(response.body).toString('latin1')
    if (!includesAny(text, all)) return response
    const isJson = detectKind(response.headers['content-type'], text) === 'json'
    const masked = isJson ? maskJson(text, request) : maskValue(text)
    if (masked === text) return response
    const isCreated = isSuccess(response.status) && findOperation(request.method, request.path) === 'create'
    if (isCreated && salvageId(text) !== salvageId(masked))
      throw new Error("the id of the new order contains the account's key")
    const { 'content-length': _length, ...headers } = response.headers
    return { ...response, headers, body: Buffer.from(masked, 'latin1') }
  }

  const maskHeader = (value: string): string => {
    const bytes = toBytes(value)
    const masked = maskValue(bytes)
    return masked === bytes ? value : fromBytes(masked)
  }

  return {
    mask: (request, response) => {
      const headers = Object.entries(response.headers).map(([name, value]) => [
        name,
        unshown.has(name) ? value : maskHeader(value),
      ])
      return maskBody(request, { ...response, headers: Object.fromEntries(headers) })
    },
    changes: (text) => maskValue(toBytes(text)) !== toBytes(text),
  }
}

/** The client reads these headers and shows none of them. */
const unshown = new Set(['content-length', 'content-type', 'date', 'retry-after'])

const bothBase64 = (bytes: string): string[] =>
  (['base64', 'base64url'] as const).map((way) => Buffer.from(bytes, 'latin1').toString(way))

/** A string of JSON, up to its quote, and its quote with the colon after a name. The last string may be cut off. */
const jsonString = /"([^"\\]*(?:\\.[^"\\]*)*)("\s*:|"?)/gs

const listSent = ({ path, body = '' }: HttpRequest): ReadonlySet<string> => {
  const query = new URLSearchParams(path.slice(stripQuery(path).length))
  const strings = Buffer.from(body).toString('latin1').matchAll(jsonString)
  return new Set(
    [...[...query.values()].map(toBytes), ...[...strings].map(([, value = '']) => value)].map(decode),
  )
}

/** The secret and its base64 at each offset, decoded and in lower case. */
const listForms = (secret: string): string[] => {
  const bytes = toBytes(secret)
  const plain = [secret, secret.replaceAll(' ', '+')].map((text) => decode(toBytes(text)))
  const encoded = [0, 1, 2].flatMap((offset) => {
    // The first bytes stand for others, such as those of a user name.
    const start = offset === 0 ? 0 : offset + 1
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    return bothBase64('\0'.repeat(offset) + bytes).map((whole) => whole.slice(start, end))
  })
  // A key of backslashes leaves nothing.
  return [...plain, ...encoded].map((text) => text.toLowerCase()).filter(Boolean)
}

const toWhole = (text: string): string =>
  decode(text)
    .trim()
    .replace(/^(?:basic|bearer) +/i, '')
    .replace(/={1,2}$/, '')
    .toLowerCase()

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
