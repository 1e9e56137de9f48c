// Masks the key of an account in what the service sends, because a response may repeat its request. This is the only
// place that does so. It masks a response before anything reads it.
import { findOperation, stripQuery } from '../contract/endpoints.ts'
import type { HttpRequest, HttpResponse } from '../contract/transport.ts'
import { detectKind, isSuccess, salvageId } from './parsed-response.ts'

const shown = '[key]'

/** A shorter secret may be an ordinary word, so it is masked only if it is a whole value. */
export const minLength = 8

type KeyMask = {
  /** Throws if the id of a new order contains the key: the id could neither be masked nor printed. */
  readonly mask: (request: HttpRequest, response: HttpResponse) => HttpResponse
  /** Whether the mask changes this text in a response. */
  readonly changes: (text: string) => boolean
}

/** `names`: masked only as whole values, whatever their length. */
export const createKeyMask = (secrets: readonly string[], names: readonly string[] = []): KeyMask => {
  const long = secrets.filter((secret) => secret.length >= minLength)
  const short = [...secrets.filter((secret) => secret.length < minLength), ...names].map(toBytes)
  const forms = [...new Map(long.flatMap(listForms).map((form) => [form.text, form])).values()]
  const wholes = new Set(
    short
      .flatMap((secret) => [secret, ...bothBase64(secret), ...bothBase64(`${secret}:`)])
      .map(toWhole)
      .filter(Boolean),
  )
  const all = [...forms.map(({ text }) => text), ...wholes]
  const shortest = Math.min(...all.map((each) => each.length))
  const mayContain = (text: string): boolean => {
    const found = decode(text).toLowerCase()
    return all.some((each) => found.includes(each))
  }
  const maskPart = (text: string): string => (mayContain(text) ? maskForms(text, forms) : text)
  const maskValue = (text: string): string => (wholes.has(toWhole(text)) ? shown : maskPart(text))

  /** Leaves numbers, and texts that the request itself contains, such as the order id. */
  const maskJson = (text: string, sent: ReadonlySet<string>): string => {
    const names = new Map<string, string>()
    const counts = new Map<string, number>()
    const nameOf = (name: string): string => {
      const masked = names.get(name) ?? maskPart(name)
      if (masked === name || names.has(name)) return masked
      const count = (counts.get(masked) ?? 0) + 1
      counts.set(masked, count)
      // An object with a name twice would be malformed.
      const own = count === 1 ? masked : `${masked} ${count}`
      names.set(name, own)
      return own
    }
    return text.replace(jsonString, (whole, value: string, end: string) => {
      if (value.length < shortest || sent.has(decode(value))) return whole
      return `"${end.endsWith(':') ? nameOf(value) : maskValue(value)}${end}`
    })
  }

  const maskBody = (request: HttpRequest, response: HttpResponse): HttpResponse => {
    const text = Buffer.from(response.body).toString('latin1')
    if (!mayContain(text)) return response
    const isJson = detectKind(response.headers['content-type'], text) === 'json'
    const masked = isJson ? maskJson(text, listSent(request)) : maskValue(text)
    if (masked === text) return response
    const isCreated = isSuccess(response.status) && findOperation(request.method, request.path) === 'create'
    if (isCreated && salvageId(text) !== salvageId(masked))
      throw new Error('the id of the new order contains the key of the account')
    const { 'content-length': _length, ...headers } = response.headers
    return { ...response, headers, body: Buffer.from(masked, 'latin1') }
  }

  const mask: KeyMask['mask'] = (request, response) => {
    const headers = Object.entries(response.headers).map(([name, value]) => {
      const bytes = toBytes(value)
      return [name, unshown.has(name) || !mayContain(bytes) ? value : fromBytes(maskValue(bytes))]
    })
    return maskBody(request, { ...response, headers: Object.fromEntries(headers) })
  }
  const changes = (text: string): boolean => {
    const bytes = toBytes(text)
    return maskValue(bytes) !== bytes
  }
  return { mask, changes }
}

/** The client reads these headers and shows none of them. */
const unshown = new Set(['content-length', 'content-type', 'date', 'retry-after'])

// All texts here are bytes of UTF-8, one a character: a character of a key may be encoded by its bytes.
const toBytes = (text: string): string => Buffer.from(text).toString('latin1')
const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()
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

type Form = {
  /** Decoded, in lower case. */
  readonly text: string
  /** The characters of base64 before and after it, which hold some bits of the secret. */
  readonly edges?: { readonly before: RegExp; readonly after: RegExp }
}

const listForms = (secret: string): Form[] => {
  const bytes = toBytes(secret)
  const plain = [secret, secret.replaceAll(' ', '+')].map((text) => ({
    text: decode(toBytes(text)).toLowerCase(),
  }))
  const encoded = [0, 1, 2].flatMap((offset) => {
    // The first bytes stand for others, such as those of a user name.
    const start = offset === 0 ? 0 : offset + 1
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    const edges = { before: offset === 0 ? /$^/ : /[\w+/-]$/, after: /^[\w+/-]{0,3}={0,2}/ }
    const both = bothBase64('\0'.repeat(offset) + bytes)
    return both.map((whole) => ({ text: whole.slice(start, end).toLowerCase(), edges }))
  })
  // A key of backslashes leaves nothing.
  return [...plain, ...encoded].filter(({ text }) => text !== '')
}

const toWhole = (text: string): string =>
  decode(text)
    .trim()
    .replace(/^(?:basic|bearer) +/i, '')
    .replace(/={1,2}$/, '')
    .toLowerCase()

const maskForms = (text: string, forms: readonly Form[]): string => {
  const { plain, offsets } = decodeWithOffsets(text)
  const lower = plain.toLowerCase()
  const ranges = forms.flatMap(({ text: wanted, edges }) => {
    const found: (readonly [number, number])[] = []
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length
      const before = edges?.before.exec(plain.slice(Math.max(0, at - 1), at))?.[0].length ?? 0
      const after = edges?.after.exec(plain.slice(end, end + 5))?.[0].length ?? 0
      found.push([at - before, end + after])
    }
    return found
  })
  let masked = ''
  let done = 0
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from >= done) masked += text.slice(offsets[done], offsets[from]) + shown
    done = Math.max(done, to)
  }
  return masked + text.slice(offsets[done])
}

/** A character as HTML, a URL or JSON writes it. */
const encoded = new RegExp(
  [
    String.raw`&(?:#0*(\d{1,7})|#x0*([\da-f]{1,6})|([a-z]{2,6})\b);?`,
    String.raw`%([\da-f]{2})`,
    String.raw`\\+u(d[89ab][\da-f]{2})\\+u(d[c-f][\da-f]{2})`,
    String.raw`\\+u([\da-f]{4})`,
    String.raw`\\+([^%&]?)`,
  ].join('|'),
  'gis',
)

type Groups = readonly (string | undefined)[]

const entities = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    sol: '/',
    plus: '+',
    equals: '=',
    colon: ':',
  }),
)

const fromHex = (digits = ''): number => Number.parseInt(digits, 16)

// Each layer of encoding may double a backslash, so they are left out.
const decodeOne = (found: string, groups: Groups): string => readOne(found, groups).replace('\\', '')

const readOne = (found: string, [decimal, hex, name, byte, high, low, unit, escaped]: Groups): string => {
  if (escaped !== undefined) return escaped
  if (byte !== undefined) return String.fromCharCode(fromHex(byte))
  if (name !== undefined) return entities.get(name.toLowerCase()) ?? found
  if (low !== undefined) return toBytes(String.fromCharCode(fromHex(high), fromHex(low)))
  const point = decimal === undefined ? fromHex(hex ?? unit) : Number(decimal)
  if (point < 0x80) return String.fromCharCode(point)
  return point > 0x10ffff ? found : toBytes(String.fromCodePoint(point))
}

const decodeOnce = (text: string): string => {
  if (!/[\\%&]/.test(text)) return text
  // Most are escapes such as \n. Without a function, V8 replaces them five times as fast.
  return text.replace(/\\+(?!u)/g, '').replace(encoded, (found, ...groups) => decodeOne(found, groups))
}

/** A text may be encoded for HTML in JSON, or twice for a URL. */
const maxLayers = 4

const decode = (text: string): string => {
  let plain = text
  for (let layer = 0; layer < maxLayers; layer += 1) {
    const inner = decodeOnce(plain)
    if (inner === plain) break
    plain = inner
  }
  return plain
}

/** `offsets`: where in the text each character begins, and then where the text ends. */
const decodeOnceWithOffsets = (text: string) => {
  const offsets: number[] = []
  let plain = ''
  let at = 0
  const add = (piece: string, from: number, step: 0 | 1): void => {
    for (let index = 0; index < piece.length; index += 1) offsets.push(from + index * step)
    plain += piece
  }
  for (const match of text.matchAll(encoded)) {
    const [found, ...groups] = match
    add(text.slice(at, match.index), at, 1)
    add(decodeOne(found, groups), match.index, 0)
    at = match.index + found.length
  }
  add(text.slice(at), at, 1)
  offsets.push(text.length)
  return { plain, offsets }
}

const decodeWithOffsets = (text: string) => {
  let found = decodeOnceWithOffsets(text)
  for (let layer = 1; layer < maxLayers; layer += 1) {
    const inner = decodeOnceWithOffsets(found.plain)
    if (inner.plain === found.plain) break
    const { offsets } = found
    found = { plain: inner.plain, offsets: inner.offsets.map((offset) => offsets[offset] ?? text.length) }
  }
  return found
}
