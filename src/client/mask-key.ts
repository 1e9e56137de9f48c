// Masks an account's key in what the service sends, because a response may repeat its request. No other file does so.
// It masks a response before anything reads it.
import { findOperation, stripQuery } from '../contract/endpoints.ts'
import type { HttpRequest, HttpResponse } from '../contract/transport.ts'
import { decode, decodeExactly, findOffsets, fromBytes, listLayers, toBytes } from './encoded-text.ts'
import { detectKind, isSuccess, salvageId } from './parsed-response.ts'

const shown = '[key]'

/** A shorter secret may be an ordinary word, so it is masked only if it is a whole value. */
export const minLength = 8

type KeyMask = {
  /** Throws if a new order's id contains the key: the id could neither be masked nor printed. */
  readonly mask: (request: HttpRequest, response: HttpResponse) => HttpResponse
  /** Whether the mask changes this text in a response. */
  readonly changes: (text: string) => boolean
}

/** `names`: masked only as whole values, whatever their length. */
export const createKeyMask = (secrets: readonly string[], names: readonly string[] = []): KeyMask => {
  const { long = [], short = [] } = Object.groupBy(secrets, ({ length }) =>
    length < minLength ? 'short' : 'long',
  )
  const forms = [...new Map(long.flatMap(listForms).map((form) => [form.text, form])).values()]
  const wholes = new Set(
    [...short, ...names]
      .map(toBytes)
      .flatMap((secret) => [secret, ...bothBase64(secret), ...bothBase64(`${secret}:`)])
      .map(toWhole)
      .filter(Boolean),
  )
  const formTexts = forms.map(({ text }) => text)
  const all = [...formTexts, ...wholes]
  const includesAny = (text: string, wanted: readonly string[]): boolean => {
    const found = decode(text).toLowerCase()
    return wanted.some((each) => found.includes(each))
  }
  const maskPart = (text: string): string => (includesAny(text, formTexts) ? maskForms(text, forms) : text)
  const maskValue = (text: string): string => {
    if (!includesAny(text, all)) return text
    return wholes.has(toWhole(text)) ? shown : maskPart(text)
  }

  /** Leaves numbers, and texts that the request itself contains, such as the order id. */
  const maskJson = (text: string, sent: ReadonlySet<string>): string => {
    const known = new Map<string, string>()
    const counts = new Map<string, number>()
    const maskName = (name: string): string => {
      const masked = known.get(name) ?? maskPart(name)
      if (masked === name || known.has(name)) return masked
      const count = (counts.get(masked) ?? 0) + 1
      counts.set(masked, count)
      // An object with a name twice would be malformed.
      const own = count === 1 ? masked : `${masked} ${count}`
      known.set(name, own)
      return own
    }
    return text.replace(jsonString, (whole, value: string, end: string) => {
      const masked = end.endsWith(':') ? maskName(value) : maskValue(value)
      return masked === value || sent.has(decode(value)) ? whole : `"${masked}${end}`
    })
  }

  const maskBody = (request: HttpRequest, response: HttpResponse): HttpResponse => {
    const text = Buffer.from(response.body).toString('latin1')
    if (!includesAny(text, all)) return response
    const isJson = detectKind(response.headers['content-type'], text) === 'json'
    const masked = isJson ? maskJson(text, listSent(request)) : maskValue(text)
    if (masked === text) return response
    const isCreated = isSuccess(response.status) && findOperation(request.method, request.path) === 'create'
    if (isCreated && salvageId(text) !== salvageId(masked))
      throw new Error("the id of the new order contains the account's key")
    const { 'content-length': _length, ...headers } = response.headers
    return { ...response, headers, body: Buffer.from(masked, 'latin1') }
  }

  return {
    mask: (request, response) => {
      const headers = Object.entries(response.headers).map(([name, value]) => [
        name,
        unshown.has(name) ? value : fromBytes(maskValue(toBytes(value))),
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

type Form = {
  /** Decoded, in lower case. */
  readonly text: string
  /**
   * Matches the form. The groups are the characters of base64 before and after it, which contain some bits of the
   * secret.
   */
  readonly pattern: RegExp
}

const listForms = (secret: string): Form[] => {
  const bytes = toBytes(secret)
  const createForm = (text: string, before = '', after = ''): Form => ({
    text: text.toLowerCase(),
    pattern: new RegExp(before + RegExp.escape(text) + after, 'gi'),
  })
  const plain = [secret, secret.replaceAll(' ', '+')].map((text) => createForm(decode(toBytes(text))))
  const encoded = [0, 1, 2].flatMap((offset) => {
    // The first bytes stand for others, such as those of a user name.
    const start = offset === 0 ? 0 : offset + 1
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    const before = offset === 0 ? '()' : String.raw`(?<=([\w+/-]?))`
    return bothBase64('\0'.repeat(offset) + bytes).map((whole) =>
      createForm(whole.slice(start, end), before, String.raw`(?=([\w+/-]{0,3}={0,2}))`),
    )
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
  const layers = listLayers(text, decodeExactly)
  const plain = layers.pop() ?? ''
  const offsets = layers.map(findOffsets)
  /** Maps a position in the decoded text to its position in the original text. */
  const locate = (position: number): number =>
    offsets.reduceRight((at, ofLayer) => ofLayer[at] ?? text.length, position)
  const ranges = forms.flatMap(({ pattern }) =>
    [...plain.matchAll(pattern)].map(({ index, 0: found, 1: before = '', 2: after = '' }) => ({
      from: index - before.length,
      to: index + found.length + after.length,
    })),
  )
  let masked = ''
  let done = 0
  for (const { from, to } of ranges.toSorted((one, other) => one.from - other.from)) {
    if (from >= done) masked += text.slice(locate(done), locate(from)) + shown
    done = Math.max(done, to)
  }
  return masked + text.slice(locate(done))
}
