// Reads JSON strictly and writes it exactly. JSON.parse accepts duplicate keys, reports no line and turns every number
// into a double, so this parser checks size, depth, keys and numbers itself.
import { parseDecimal } from './money/decimal.ts'

type Limits = {
  readonly maxBytes: number
  readonly maxDepth: number
  /** Of a list. */
  readonly maxItems?: number
}

export const jsonLimits: Limits = { maxBytes: 2 * 1024 * 1024, maxDepth: 32 }

/** The message continues the name of a document: 'is not valid JSON: …'. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  /** The message for responses, whose keys may be codes. */
  readonly withoutKeys: string

  constructor(message: string, withoutKeys = message) {
    super(message)
    this.withoutKeys = withoutKeys
  }
}

/** As readJson, but returns the error. */
export const tryReadJson = (
  source: string | Uint8Array,
  limits = jsonLimits,
): { readonly document?: unknown; readonly problem?: JsonError } => {
  try {
    return { document: readJson(source, limits) }
  } catch (error) {
    if (error instanceof JsonError) return { problem: error }
    throw error
  }
}

const space = /[ \t\n\r]*/y
// One pattern for a whole string would need a stack as long as the string.
const characters = /[^"\\\u0000-\u001f]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

const describePlace = (text: string, position: number): string => {
  const lines = text.slice(0, position).split('\n')
  return `at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

/** Returns a Decimal for a number that a double cannot hold exactly. Throws JsonError. */
export const readJson = (source: string | Uint8Array, limits = jsonLimits): unknown => {
  if (source.length > limits.maxBytes) throw new JsonError(`is larger than ${limits.maxBytes} bytes`)
  const text = decode(source)
  const plain = readPlain(text, limits)
  if (plain !== undefined) return plain
  let at = 0

  const createError = (wanted: string): JsonError => {
    const place = at >= text.length ? 'at the end' : describePlace(text, at)
    return new JsonError(`is not valid JSON: expected ${wanted} ${place}`)
  }
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
    if (found === undefined) throw createError('a value')
    const double = Number(found)
    if (String(double) === found) return double
    const exact = parseDecimal(found)
    if (exact === undefined)
      throw new JsonError(`contains a number out of range ${describePlace(text, start)}`)
    const held = parseDecimal(String(double))
    return held?.eq(exact) ? double : exact
  }
  const readString = (wanted: string): string => {
    const isOpen = takeMark('"')
    const start = at
    if (isOpen) {
      do take(characters)
      while (take(escaped) !== undefined)
    }
    const found = text.slice(start, at)
    if (!isOpen || text[at] !== '"') {
      at = isOpen ? start - 1 : start
      throw createError(wanted)
    }
    at += 1
    return found.includes('\\') ? JSON.parse(`"${found}"`) : found
  }
  const readArray = (depth: number): unknown[] => {
    const items: unknown[] = []
    if (takeMark(']')) return items
    do {
      if (items.length === limits.maxItems)
        throw new JsonError(`contains a list of more than ${limits.maxItems} items`)
      items.push(readValue(depth))
    } while (takeMark(','))
    if (!takeMark(']')) throw createError("',' or ']'")
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
        const place = `twice in one object, ${describePlace(text, start)}`
        throw new JsonError(`contains the key ${JSON.stringify(key)} ${place}`, `contains a key ${place}`)
      }
      if (!takeMark(':')) throw createError("':'")
      const value = readValue(depth)
      // An assignment to `__proto__` would set the prototype, but `__proto__` is a legal SKU.
      if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true })
      else object[key] = value
    } while (takeMark(','))
    if (!takeMark('}')) throw createError("',' or '}'")
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
  if (at < text.length) throw createError('the end of the text')
  return value
}

/**
 * A text that JSON.stringify writes again as it is has no key twice and no number that a double changes, and JSON.parse takes
 * less than half the time. Undefined for other texts, and if the brackets alone do not show that it is not too deep.
 */
const readPlain = (text: string, { maxDepth, maxItems }: Limits): unknown => {
  if (maxItems !== undefined || (text.match(/[{[]/g)?.length ?? 0) > maxDepth) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

const decode = (source: string | Uint8Array): string => {
  try {
    // Some editors write a byte order mark. TextDecoder removes it.
    return typeof source === 'string'
      ? source.replace(/^\ufeff/, '')
      : new TextDecoder('utf-8', { fatal: true }).decode(source)
  } catch {
    throw new JsonError('is not UTF-8 text')
  }
}

/** Writes Maps as objects. Decimals are exact even with plain JSON.stringify. */
export const writeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, seen) => (seen instanceof Map ? Object.fromEntries(seen) : seen), indent)
