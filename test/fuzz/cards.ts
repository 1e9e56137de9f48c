// Random cards with known unique values, and the shapes in which a service may send them.
import { hash } from 'node:crypto'
import * as fc from 'fast-check'

export type Kind = 'code' | 'pin' | 'serial' | 'link'
/** Blank values are left out. */
export type Made = { readonly [kind in Kind]?: string }

const unique = (seed: string): string =>
  (hash('sha256', seed).toUpperCase().slice(0, 12).match(/.{4}/g) ?? []).join('-')

const digits = (seed: string, count: number): string =>
  BigInt(`0x${hash('sha256', seed)}`)
    .toString()
    .slice(-count)

/** Usual values and unusual ones. */
const styles: readonly ((seed: string) => string)[] = [
  unique,
  unique,
  (seed) => digits(seed, 16),
  (seed) => `0${digits(seed, 3)}`,
  (seed) => `https://redeem.example/c/${unique(seed)}?a=1&b="`,
  (seed) => `=${unique(seed)}+1`,
  (seed) => `'${unique(seed)}`,
  (seed) => `${unique(seed)}", \n;x`,
  (seed) => `\u202e${unique(seed)}\u200b\u001b[2J`,
  (seed) => `رمز ${unique(seed)} コード`,
  (seed) => `<b>${unique(seed)}</b>&amp;`,
  (seed) => unique(seed).toLowerCase().replaceAll('-', ' '),
]

const secret = (seed: string): fc.Arbitrary<string> => fc.constantFrom(...styles).map((style) => style(seed))

const blank = fc.constantFrom('', ' ', null, undefined)

type Entry = { readonly entry: unknown; readonly cards: readonly Made[] }
type Shape = (sku: string, common: object, count: number) => fc.Arbitrary<Entry>

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const made = (fields: Record<Kind, unknown>): Made =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === 'string' && value.trim() !== ''),
  )

const cardAs = (fields: Record<Kind, unknown>, more: object = {}) =>
  given({
    ...{ redeemLink: fields.link, redeemCardCode: fields.code },
    ...{ redeemSerialNumber: fields.serial, redeemPin: fields.pin, ...more },
  })

const mayBe = (seed: string) =>
  fc.oneof({ weight: 2, arbitrary: secret(seed) }, { weight: 1, arbitrary: blank })

const fieldsOf = (seed: string) =>
  fc.record({
    ...{ code: secret(`${seed} code`), pin: mayBe(`${seed} pin`) },
    ...{ serial: mayBe(`${seed} serial`), link: mayBe(`${seed} link`) },
  })

const manyOf = (sku: string, count: number) =>
  fc.tuple(...Array.from({ length: count }, (_, index) => fieldsOf(`${sku} ${index}`)))

const pinsOf = (sku: string, count: number, kind: Kind = 'pin') =>
  fc.tuple(...Array.from({ length: count }, (_, index) => secret(`${sku} ${kind} ${index}`)))

const expiry = fc.constantFrom(
  ...['', '2030-01-31T23:59:59Z', '2020-02-30', 'never', '\u001b[1m', null, undefined, 1_900_000_000],
)
const empty = {
  redeemLink: '',
  redeemCardCode: '',
  redeemSerialNumber: '',
  redeemPin: '',
  expirationDate: '',
}

const numbered = <Item>(items: readonly Item[]) =>
  Object.fromEntries(items.map((item, at) => [`${at + 1}`, item]))

/** The two shapes of order-service.md 2.8, and mixtures of them. */
export const shapes: Readonly<Record<string, Shape>> = {
  A: (sku, common, count) =>
    fc.tuple(manyOf(sku, count), expiry).map(([all, expirationDate]) => ({
      entry: { ...common, cards: all.map((each) => cardAs(each, given({ expirationDate }))) },
      cards: all.map(made),
    })),
  'A with empty cards between': (sku, common, count) =>
    manyOf(sku, count).map((all) => ({
      entry: { ...common, cards: [null, empty, ...all.flatMap((each) => [cardAs(each), {}])] },
      cards: all.map(made),
    })),
  'A, its cards numbered': (sku, common, count) =>
    manyOf(sku, count).map((all) => ({
      entry: { ...common, cards: numbered(all.map((each) => cardAs(each))) },
      cards: all.map(made),
    })),
  B: (sku, common, count) =>
    fc.tuple(pinsOf(sku, count), mayBe(`${sku} link`)).map(([pins, link]) => ({
      entry: { ...common, ...given({ redeemPin: pins, redeemLink: link }) },
      cards:
        pins.length === 0
          ? aloneOf({ link })
          : pins.map((pin) => made({ pin, link } as Record<Kind, unknown>)),
    })),
  'B, its PINs numbered': (sku, common, count) =>
    pinsOf(sku, count).map((pins) => ({
      entry: { ...common, redeemPin: numbered(pins), redeemLink: '' },
      cards: pins.map((pin) => ({ pin })),
    })),
  'B with numbers': (sku, common, count) => {
    const pins = Array.from({ length: count }, (_, at) => 1_000_000 + Number(digits(`${sku} ${at}`, 6)))
    return fc.constant({
      entry: { ...common, redeemPin: pins, redeemLink: null },
      cards: pins.map((pin) => ({ pin: String(pin) })),
    })
  },
  'B with a list of every kind': (sku, common, count) =>
    fc
      .tuple(pinsOf(sku, count), pinsOf(sku, count, 'code'), pinsOf(sku, count, 'link'))
      .map(([pins, codes, links]) => ({
        entry: { ...common, redeemPin: pins, redeemCardCode: codes, redeemLink: links },
        cards: pins.map((pin, at) =>
          made({ pin, code: codes[at], link: links[at] } as Record<Kind, unknown>),
        ),
      })),
  'codes in a list, without PINs': (sku, common, count) =>
    pinsOf(sku, count, 'code').map((codes) => ({
      entry: { ...common, redeemCardCode: codes },
      cards: codes.map((code) => ({ code })),
    })),
  'A and B in one': (sku, common, count) =>
    fc.tuple(manyOf(`${sku} A`, count), pinsOf(sku, 2), mayBe(`${sku} link`)).map(([all, pins, link]) => ({
      entry: {
        ...common,
        ...given({ cards: all.map((each) => cardAs(each)), redeemPin: pins, redeemLink: link }),
      },
      cards: [...all.map(made), ...pins.map((pin) => made({ pin, link } as Record<Kind, unknown>))],
    })),
  'cards that are empty, and a link': (sku, common) =>
    secret(`${sku} link`).map((link) => ({
      entry: { ...common, cards: [empty, null], redeemPin: [], redeemLink: link },
      cards: [{ link }],
    })),
  'cards with one link for all': (sku, common, count) =>
    fc.tuple(manyOf(sku, count), secret(`${sku} link for all`)).map(([all, link]) => ({
      entry: { ...common, cards: all.map((each) => cardAs({ ...each, link: '' })), redeemLink: link },
      cards: count === 0 ? [{ link }] : all.map((each) => ({ ...made({ ...each, link }) })),
    })),
  'cards with links, and one more link': (sku, common, count) =>
    fc
      .tuple(manyOf(sku, count), pinsOf(sku, count, 'link'), secret(`${sku} link more`))
      .map(([all, links, more]) => {
        const cards = all.map((each, at) => ({ ...each, link: links[at] }))
        return {
          entry: { ...common, cards: cards.map((each) => cardAs(each)), redeemLink: more },
          cards: [...cards.map(made), { link: more }],
        }
      }),
  'a list of A and B': (sku, common, count) =>
    fc.tuple(manyOf(`${sku} A`, count), pinsOf(sku, 1)).map(([all, pins]) => ({
      entry: [
        { ...common, cards: all.map((each) => cardAs(each)) },
        { ...common, redeemPin: pins, redeemLink: '' },
      ],
      cards: [...all.map(made), ...pins.map((pin) => ({ pin }))],
    })),
  'one of each, without a list': (sku, common) =>
    fc.tuple(fieldsOf(sku), secret(`${sku} pin alone`)).map(([card, pin]) => ({
      entry: { ...common, cards: cardAs(card), redeemPin: pin },
      cards: [made(card), { pin }],
    })),
  'bare codes': (sku, _common, count) =>
    pinsOf(sku, count, 'code').map((codes) => ({ entry: codes, cards: codes.map((code) => ({ code })) })),
  nothing: () =>
    fc.constantFrom(null, '', {}, [], { cards: null }, { redeemPin: [], redeemLink: '' }).map((entry) => ({
      entry,
      cards: [],
    })),
}

const aloneOf = ({ link }: { readonly link: unknown }): Made[] => {
  const card = made({ link } as Record<Kind, unknown>)
  return Object.keys(card).length === 0 ? [] : [card]
}

/** The redeem data of one product, in the given or a random shape. */
export const entryOf = (sku: string, common: object, shape?: string): fc.Arbitrary<Entry> => {
  const name = shape === undefined ? fc.constantFrom(...Object.keys(shapes)) : fc.constant(shape)
  return fc
    .tuple(name, fc.integer({ min: 0, max: 4 }))
    .chain(([each, count]) => (shapes[each] as Shape)(sku, common, count))
}
