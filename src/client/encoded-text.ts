// Decodes texts that a service may have encoded for HTML, a URL or JSON, in several layers.
import { decodeHtmlStrict } from '../text/entities.ts'

// All texts here are bytes of UTF-8, one a character: a character of a key may be encoded by its bytes.
export const toBytes = (text: string): string => Buffer.from(text).toString('latin1')
export const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()

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

const decodeOnce = (text: string): string => {
  if (!/[\\%&]/.test(text)) return text
  // Most are escapes such as \n. Without a function, V8 replaces them five times as fast.
  return decodeExactly(text.replace(/\\+(?!u)/gi, ''))
}

export const decodeExactly = (text: string): string =>
  text.replace(encoded, (found, ...groups) => decodeOne(found, groups))

/** For each character of decodeExactly(text), its start in the text. The last offset is the end of the text. */
export const findOffsets = (text: string): number[] => {
  const offsets: number[] = []
  let at = 0
  const addUntil = (end: number): void => {
    for (; at < end; at += 1) offsets.push(at)
  }
  for (const match of text.matchAll(encoded)) {
    const [found, ...groups] = match
    addUntil(match.index)
    offsets.push(...Array(decodeOne(found, groups).length).fill(match.index))
    at = match.index + found.length
  }
  addUntil(text.length + 1)
  return offsets
}

/** A text may be encoded for HTML in JSON, or twice for a URL. */
const maxLayers = 4

/** The text first, then the text after each layer of encoding is decoded. */
export const listLayers = (text: string, decodeLayer = decodeOnce): string[] => {
  const layers = [text]
  for (let outer = text; layers.length <= maxLayers; ) {
    const inner = decodeLayer(outer)
    if (inner === outer) break
    layers.push(inner)
    outer = inner
  }
  return layers
}

export const decode = (text: string): string => listLayers(text).at(-1) ?? text
