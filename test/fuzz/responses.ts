// Random responses: valid documents with random values in their open fields, and documents with errors.
import * as fc from 'fast-check'
import { createdExample, orderExample } from '../../src/contract/openapi/examples.ts'
import { states } from '../../src/contract/states.ts'
import { fieldsIn, values, withValue } from '../faults/fields.ts'
import { entryOf, type Made } from './cards.ts'
import { valuesOf } from './find-cards.ts'
import { saying, withRepeats } from './repeats.ts'
import { genuine, hostile } from './texts.ts'

export type Delivered = Made & { readonly sku: string }

export type Response = {
  readonly document: { readonly message: string; readonly data: Record<string, unknown> }
  readonly cards: readonly Delivered[]
}

export const orderId = 'sbx_9k2m7q0w4x8d5t3b'

// Special keys of objects, fields of the document, and characters that are special in shells and tables.
const sku = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('GAME-DE', 'GAME-US', 'RIDE-JP', 'COFFEE-CA') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['__proto__', 'constructor', 'redeemPin', 'cards', '1', '0', 'a.b', '["x"]', '', ' ', 'قسيمة', '=1'],
    ),
  },
  { weight: 1, arbitrary: hostile },
)

const text = fc.oneof(
  genuine,
  hostile,
  fc.constantFrom('', 'EUR', 'JPY', 'KWD', 'paid', '__proto__', 'constructor'),
)
// Numbers in the notations of JSON.
const amount = fc
  .constantFrom(
    ...['0', '-0.00', '20', '0.1', '-12.5', '1e-7', '12345678901234567890.12', '1E5', '0.30000000000000004'],
  )
  .map((written) => (JSON as unknown as { rawJSON(text: string): number }).rawJSON(written))
const moment = fc.record({
  _seconds: fc.constantFrom(0, -1, 1_784_894_400, 2 ** 40, Number.MAX_SAFE_INTEGER),
  _nanoseconds: fc.constantFrom(0, 999_999_999, -5),
})

const state = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('successful', 'partial') },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(states)) },
  { weight: 1, arbitrary: fc.oneof(hostile, fc.constantFrom('', 'SUCCESSFUL', 'on hold', '__proto__')) },
)

/** A random value for a field that the documentation leaves open. */
const openFields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{ description: text, name: text, country: text, region: text, productType: text, status: text },
  ...{ paymentMethod: text, dealState: text, adjustmentMode: text, type: text, baseCurrency: text },
  wallet: fc.constantFrom('USD', 'usd', ' Usd ', 'ＵＳＤ', 'EUR', 'POINTS2', '1A'),
  ...{ targetCurrency: text, currency: text, reference: text, message: text },
  ...{ amount, quote: amount, rate: amount, createdDate: moment, modifiedDate: moment },
}

/** Sometimes replaces the value of an open field. */
const opened = (document: object, closed: readonly string[] = []): fc.Arbitrary<object> => {
  const places = fieldsIn(document).filter(({ path }) => {
    const name = String(path.at(-1))
    return Object.hasOwn(openFields, name) && !closed.includes(name)
  })
  return fc.subarray(places).chain((chosen) =>
    fc.tuple(...chosen.map(({ path }) => openFields[String(path.at(-1))] ?? text)).map((all) =>
      // Inner fields first, because replacing an outer field removes them.
      chosen.reduce<object>((changed, { path }, at) => withExisting(changed, path, all[at]), document),
    ),
  )
}

const withExisting = (document: object, path: readonly (string | number)[], value: unknown): object => {
  let place: unknown = document
  for (const step of path.slice(0, -1))
    place = (place as Record<string | number, unknown> | undefined)?.[step]
  const isThere = typeof place === 'object' && place !== null && Object.hasOwn(place, path.at(-1) ?? '')
  return isThere ? (withValue(document, path, value) as object) : document
}

const instructionsOf = (secrets: readonly string[]) => {
  const said = fc.oneof(
    text,
    fc.constantFrom(null, ''),
    fc.constantFrom('code', ...secrets).map((each) => `<p>Type <b>${each}</b> at the till</p>`),
    saying(['code', ...secrets]),
  )
  return fc.oneof(
    fc.constant(null),
    fc.record({
      tnc: said,
      tncHtml: said,
      redeem: said,
      redeemHtml: said,
      languageCode: fc.constantFrom('de', null, ''),
    }),
  )
}

const product = orderExample.data.products['GAME-DE']

/** Sets own keys only, including `__proto__`. */
const keyed = (entries: readonly (readonly [string, unknown])[]): object =>
  entries.reduce(
    (object, [key, value]) => Object.defineProperty(object, key, { value, enumerable: true }),
    {},
  )

const redeemed = (skus: readonly string[]) =>
  fc.tuple(...skus.map((each) => entryOf(each, { currency: 'EUR', value: 20 }))).chain((entries) => {
    const cards = entries.flatMap(({ cards }, at) => cards.map((card) => ({ ...card, sku: skus[at] ?? '' })))
    const secrets = cards.flatMap(({ sku: _sku, ...card }) => Object.values(card))
    return fc.tuple(...entries.map(() => instructionsOf(secrets))).map((instructions) => ({
      cards,
      redeem: keyed(
        entries.map(({ entry }, at) => {
          const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
          const more =
            isObject && Object.keys(entry).length > 0 ? { redeemInstructions: instructions[at] } : {}
          return [skus[at] ?? '', isObject ? { ...entry, ...more } : entry] as const
        }),
      ),
    }))
  })

/** Repeats a code in other fields, such as the name of a product, a line of the invoice, and the reference. */
const repeating = (document: object, cards: readonly Delivered[]): fc.Arbitrary<object> => {
  const secrets = cards.flatMap(({ sku: _sku, ...card }) => Object.values(card))
  const places = fieldsIn(document).filter(({ path }) =>
    /^(name|description|reference|country|region|status|paymentMethod|dealState|adjustmentMode)$/.test(
      String(path.at(-1)),
    ),
  )
  if (secrets.length === 0) return fc.constant(document)
  return fc
    .array(fc.tuple(fc.constantFrom(...places), saying(secrets)), { maxLength: 3 })
    .map((all) => all.reduce((changed, [{ path }, said]) => withExisting(changed, path, said), document))
}

/** A response to get for an order with random cards. Their number may differ from the ordered quantity. */
export const gotAnswer: fc.Arbitrary<Response> = fc
  .uniqueArray(sku, { minLength: 1, maxLength: 3 })
  .chain((skus) => fc.tuple(fc.constant(skus), redeemed(skus), state, fc.integer({ min: 1, max: 5 })))
  .chain(([skus, { redeem, cards }, found, quantity]) =>
    opened({
      message: 'ok',
      data: {
        ...{ ...orderExample.data, uid: orderId, state: found },
        products: keyed(
          skus.map((each) => [each, { ...product, sku: each, request: { quote: 20, quantity } }]),
        ),
      },
    })
      .chain((document) => repeating(document, cards))
      .chain((document) => withRepeats(document, valuesOf(cards)))
      .map((document) => {
        const { message, data } = document as Response['document']
        // JavaScript orders integer keys first.
        const inOrder = Object.keys(redeem).flatMap((each) => cards.filter((card) => card.sku === each))
        return { document: { message, data: { ...data, redeem } }, cards: inOrder }
      }),
  )

/** The quote and wallet stay, because they must match the request. */
export const createdAnswer: fc.Arbitrary<object> = opened(createdExample, ['quote', 'wallet'])

const wrongs = fc.oneof(
  fc.constantFrom(...Object.values(values), undefined, '', -1, 2.5, [], {}, Number.MAX_SAFE_INTEGER),
  text,
  amount,
)

/** Changes, removes or adds up to four fields. */
export const withErrors = <Document>(document: Document): fc.Arbitrary<Document> =>
  fc
    .array(fc.tuple(fc.nat(), wrongs, fc.option(fc.oneof(hostile, fc.constant('__proto__')))), {
      maxLength: 4,
    })
    .map((all) =>
      all.reduce((changed, [index, value, beside]) => {
        const places = fieldsIn(changed).filter(({ path }) => path.length > 0)
        const { path = [] } = places[index % Math.max(1, places.length)] ?? {}
        const isNamed = beside !== null && typeof path.at(-1) === 'string'
        return withValue(changed, isNamed ? [...path.slice(0, -1), beside] : path, value) as Document
      }, document),
    )
