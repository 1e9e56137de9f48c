// Repeats codes in undocumented fields: at any depth, in many spellings, as text, number or key.
import * as fc from 'fast-check'
import { fieldsIn, withValue } from '../faults/fields.ts'

const names = [
  ...['note', 'notes', 'remark', 'message', 'description', 'terms', 'text', 'details', 'disclaimer_html'],
  ...['extra', 'x', 'meta', 'history', 'a b', '', '__proto__', 'constructor', 'imageUrl', 'id', 'uid', 'sku'],
  ...['result', 'error', 'code', 'state', 'reference', 'value', 'amount', 'total', 'items', 'records'],
  ...['pin', 'cardPin', 'voucher', 'accessToken', 'Password', 'card', 'link', 'barcode_data', 'serial-no'],
]

type Spelling = (code: string) => string

const between =
  (mark: string): Spelling =>
  (code) =>
    [...code].join(mark)
const each =
  (write: (unit: number) => string): Spelling =>
  (code) =>
    Array.from(code, (letter) => write(letter.charCodeAt(0))).join('')
const dashes =
  (mark: string): Spelling =>
  (code) =>
    code.replaceAll('-', mark)
const hex = (unit: number): string => unit.toString(16).padStart(2, '0')
const inFullwidth: Spelling = (code) =>
  code.replaceAll(/[0-9A-Za-z-]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))

/** Each spelling keeps the letters and digits of the code. */
const spellings: readonly Spelling[] = [
  (code) => code,
  (code) => code.toLowerCase(),
  dashes(''),
  dashes(' '),
  dashes(' – '),
  (code) => `Card ${code}.`,
  (code) => `x${code}y`,
  (code) => `https://shop.example/c/${code}?a=1`,
  inFullwidth,
]
// Not used for a code that contains tags, entities or percent signs itself. Not in scope: base64 and other ciphers, letters
// of other scripts that look alike, and more than three characters between two letters.
const hidings: readonly Spelling[] = [
  (code) => code.replace(/^(.{3})(.{2})/su, '$1<b>$2</b>'),
  (code) => code.replaceAll('-', '').replaceAll(/..(?!$)/g, '$& '),
  dashes('&#45;'),
  dashes('%2D'),
  dashes('&nbsp;&ensp;'),
  each((unit) => `%${hex(unit)}`),
  each((unit) => `%25${hex(unit)}`),
  each((unit) => `&#${unit};`),
  each((unit) => `&#x00${hex(unit)}`),
  each((unit) => `&amp;#${unit};`),
  ...['.', '&shy;', '&NBSP;', '<b></b>', '&lt;i&gt;', '<!-- > -->', '\u202e\u0001'].map(between),
  between('<a href="https://a.example/?b=c&d=e" title=x>'),
  between('\u200b\u2060\ufeff\u00ad\u{e0041}'),
]

const spell = (code: string): readonly string[] => {
  const isPlain = /^[\w -]+$/.test(code)
  return [...spellings, ...(isPlain ? hidings : [])].map((spelling) => spelling(code))
}

const spelt = (code: string): fc.Arbitrary<unknown> => {
  const numbers = /^[1-9]\d{5,14}$/.test(code) ? [Number(code)] : []
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...spell(code), ...numbers) },
    { weight: 1, arbitrary: fc.constant({ [code]: 1 }) },
  )
}

/** A text that contains one of the codes. */
export const saying = (codes: readonly string[]): fc.Arbitrary<string> =>
  fc
    .constantFrom(...codes)
    .chain((code) => fc.constantFrom(...spell(code)))
    .map((text) => `Card ${text} here.`)

const name = fc.constantFrom(...names)

/** Wraps the value in up to five lists and objects. */
const wrapped = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(value, fc.array(fc.option(name), { maxLength: 5 }))
    .map(([innermost, around]) =>
      around.reduce<unknown>((inner, key) => (key === null ? [inner] : keyed(key, inner)), innermost),
    )

/** Sets an own property, even `__proto__`. */
const keyed = (key: string, value: unknown): object => ({ ...{}, [key]: value })

// The types of the standard library lack it.
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean }

/** The documented objects of a response, without maps and without the redeem data, which is secret as a whole. */
const objectsIn = (document: object) =>
  fieldsIn(document).filter(({ path: [data, ...path], value }) => {
    const isMap = path.join() === 'products' || path.at(-1) === 'total'
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !isRawJSON(value) && data === 'data' && path[0] !== 'redeem' && !isMap
  })

/** Adds fields that repeat codes. */
export const withRepeats = <Document extends object>(
  document: Document,
  codes: readonly string[],
): fc.Arbitrary<Document> => {
  if (codes.length === 0) return fc.constant(document)
  const places = objectsIn(document)
  const repeat = fc.record({
    place: fc.constantFrom(...places),
    key: name,
    value: wrapped(fc.constantFrom(...codes).chain(spelt)),
  })
  return fc.array(repeat, { maxLength: 4 }).map((repeats) =>
    repeats.reduce<Document>((changed, { place: { path, value: own }, key, value }) => {
      // Documented fields keep their values, so that the response stays valid.
      const isFree = !Object.hasOwn(own as object, key)
      return isFree ? (withValue(changed, [...path, key], value) as Document) : changed
    }, document),
  )
}
