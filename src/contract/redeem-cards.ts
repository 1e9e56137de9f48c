// Section 2.8: redeem data of both shapes, and of shapes that nobody documented, as one list of cards.
import { type Decimal, decimalText, isDecimal } from './decimal.ts'
import type { Order } from './schemas.ts'
import { isObject, toDecimal } from './shape.ts'

export type Card = {
  readonly sku: string
  readonly value?: Decimal
  readonly currency?: string
  readonly code?: string
  readonly pin?: string
  readonly serial?: string
  readonly link?: string
  /** Empty where the service gave an empty date; absent where it gave none. */
  readonly expires?: string
}

export type Shortfall = { readonly sku: string; readonly ordered: number; readonly received: number }

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | undefined => {
  if (isDecimal(value)) return decimalText(value)
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

const given = (fields: { readonly [Key in keyof Card]?: Card[Key] | undefined }): Partial<Card> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value]

const fieldOf = {
  code: 'redeemCardCode',
  pin: 'redeemPin',
  serial: 'redeemSerialNumber',
  link: 'redeemLink',
} as const

/** A list, or an object that numbers its values; however deep. Undefined where it is one value. */
const listIn = (value: unknown): readonly unknown[] | undefined => {
  if (!Array.isArray(value) && !isObject(value)) return undefined
  return Object.values(value).flatMap((each) => listIn(each) ?? [each])
}

type Secrets = Omit<Card, 'sku' | 'value' | 'currency'>

/** What can be redeemed: as many cards as its longest list has; what is no list goes with each of them. */
const secretsOf = (entry: unknown): Secrets[] => {
  const fields: Fields = isObject(entry) ? entry : { redeemCardCode: entry }
  const found = Object.entries(fieldOf).map(([kind, name]) => {
    const list = listIn(fields[name])
    return { kind, list, one: fields[name] }
  })
  const count = Math.max(1, ...found.map(({ list }) => list?.length ?? 0))
  const { expirationDate } = fields
  const expires = typeof expirationDate === 'string' ? { expires: expirationDate.trim() } : {}
  return Array.from({ length: count }, (_, at) =>
    found.flatMap(({ kind, list, one }) => {
      const text = textOf(list === undefined ? one : list[at])
      return text === undefined ? [] : [[kind, text] as const]
    }),
  )
    .filter((texts) => texts.length > 0)
    .map((texts) => ({ ...Object.fromEntries(texts), ...expires }))
}

/** A list of them, or one, or an object that numbers them. */
const cardList = (cards: unknown): readonly unknown[] =>
  isObject(cards) && secretsOf(cards).length === 0 ? Object.values(cards) : listOf(cards).flat(9)

const isLinkAlone = ({ code, pin, serial }: Secrets): boolean => (code ?? pin ?? serial) === undefined

const cardsOf = (sku: string, entry: unknown): Card[] => {
  if (Array.isArray(entry)) return entry.flatMap((each) => cardsOf(sku, each))
  const data: Fields = isObject(entry) ? entry : { cards: entry }
  const common = given({ sku, value: toDecimal(data.value), currency: textOf(data.currency) })
  const cards = cardList(data.cards).flatMap(secretsOf)
  // Shape B: one card a PIN, all with the same link. Without a PIN the link may be what was bought.
  const others = secretsOf({ ...data, cards: undefined })
  const [first] = others
  const isForAll = others.length === 1 && first !== undefined && isLinkAlone(first)
  const all =
    isForAll && cards.some(({ link }) => link === undefined)
      ? cards.map((card) => ({ ...given({ link: first.link }), ...card }))
      : [...cards, ...others]
  return all.map((secrets) => ({ sku, ...common, ...secrets }))
}

/** Takes what was read by the schema (a Map) as well as plain JSON; an empty card is none. */
export const cardsIn = (redeem: unknown): Card[] => {
  const entries = redeem instanceof Map ? [...redeem] : isObject(redeem) ? Object.entries(redeem) : []
  return entries.flatMap(([sku, entry]) => cardsOf(sku, entry))
}

/** The products of which fewer cards came than were ordered. */
export const shortfallsOf = (order: Pick<Order, 'products' | 'redeem'>): Shortfall[] => {
  const received = Map.groupBy(cardsIn(order.redeem), ({ sku }) => sku)
  return [...order.products]
    .map(([sku, { request }]) => ({
      sku,
      ordered: request.quantity,
      received: received.get(sku)?.length ?? 0,
    }))
    .filter((each) => each.received < each.ordered)
}
