// JSON read strictly and written exactly. JSON.parse keeps the last of two equal keys, names no line and
// turns every number into a double; so this reader judges size, depth, keys and numbers itself.
import { parseDecimal } from './decimal.ts'

export const jsonLimits = { maxBytes: 2 * 1024 * 1024, maxDepth: 32 }

/** The message can stand after the name of a document: 'is not valid JSON: …'. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  /** The message for documents of others, whose keys may be codes. */
  readonly withoutKeys: string

  constructor(message: string, withoutKeys = message) {
    super(message)
    this.withoutKeys = withoutKeys
  }
}

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

/** The value of a JSON text. A number that a double cannot hold exactly is a Decimal. Throws JsonError. */
export const readJson = (source: string | Uint8Array, limits = jsonLimits): unknown => {
  if (source.length > limits.maxBytes) throw new JsonError(`is larger than ${limits.maxBytes} bytes`)
  const text = decode(source)
  let at = 0

  const where = (position: number): string => {
    const lines = text.slice(0, position).split('\n')
    return `at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
  }
  const unexpected = (wanted: string): JsonError =>
    new JsonError(
      at >= text.length
        ? `is not valid JSON: it ends where ${wanted} should stand`
        : `is not valid JSON: ${wanted} expected ${where(at)}`,
    )
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const takeMark = (mark: string): boolean => {
    take(space)
    if (text[at] !== mark) return false
    at += 1
    return true
  }
  const readNumber = (): unknown => {
    const start = at
    const found = take(number)
    if (found === undefined) throw unexpected('a value')
    const double = Number(found)
    if (String(double) === found) return double
    const exact = parseDecimal(found)
    if (exact === undefined) throw new JsonError(`has a number out of bounds ${where(start)}`)
    const held = parseDecimal(String(double))
    return held?.eq(exact) ? double : exact
  }
  const readString = (wanted: string): string => {
    take(space)
    const found = take(string)
    if (found === undefined) throw unexpected(wanted)
    return found.includes('\\') ? JSON.parse(found) : found.slice(1, -1)
  }
  const readArray = (depth: number): unknown[] => {
    const items: unknown[] = []
    if (takeMark(']')) return items
    do items.push(readValue(depth))
    while (takeMark(','))
    if (!takeMark(']')) throw unexpected("',' or ']'")
    return items
  }
  const readObject = (depth: number): Record<string, unknown> => {
    const object: Record<string, unknown> = {}
    if (takeMark('}')) return object
    do {
      take(space)
      const start = at
      const key = readString('a key in double quotes')
      if (Object.hasOwn(object, key)) {
        const place = `twice in one object, ${where(start)}`
        throw new JsonError(`has the key ${JSON.stringify(key)} ${place}`, `has a key ${place}`)
      }
      if (!takeMark(':')) throw unexpected("':'")
      const value = readValue(depth)
      // Assigned, `__proto__` would set the prototype; it is a legal SKU.
      if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true })
      else object[key] = value
    } while (takeMark(','))
    if (!takeMark('}')) throw unexpected("',' or '}'")
    return object
  }
  const readValue = (depth: number): unknown => {
    take(space)
    const mark = text[at]
    if (depth === limits.maxDepth && (mark === '{' || mark === '['))
      throw new JsonError(`is nested deeper than ${limits.maxDepth} levels`)
    if (takeMark('{')) return readObject(depth + 1)
    if (takeMark('[')) return readArray(depth + 1)
    if (text[at] === '"') return readString('a string')
    const literal = take(word)
    return literal === undefined ? readNumber() : JSON.parse(literal)
  }

  const value = readValue(0)
  take(space)
  if (at < text.length) throw unexpected('the end')
  return value
}

const decode = (source: string | Uint8Array): string => {
  try {
    // Some editors leave a byte order mark in front of an order file. The decoder drops it by itself.
    return typeof source === 'string'
      ? source.replace(/^\ufeff/, '')
      : new TextDecoder('utf-8', { fatal: true }).decode(source)
  } catch {
    throw new JsonError('is not UTF-8 text')
  }
}

/** The text of a value: Maps become objects. Decimals write themselves exactly, also by plain JSON.stringify. */
export const writeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, seen) => (seen instanceof Map ? Object.fromEntries(seen) : seen), indent)
