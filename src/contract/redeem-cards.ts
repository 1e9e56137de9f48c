// Section 2.8: redeem data of both shapes, and of shapes that nobody documented, as one list of cards.
import { type Decimal, decimalText, isDecimal, parseDecimal } from './decimal.ts'
import type { Order } from './schemas.ts'

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

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)

const textOf = (value: unknown): string | undefined => {
  if (isDecimal(value)) return decimalText(value)
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

const decimalOf = (value: unknown): Decimal | undefined =>
  isDecimal(value) ? value : typeof value === 'number' ? parseDecimal(String(value)) : undefined

const given = <Value extends object>(fields: { [Key in keyof Value]: Value[Key] | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Value>

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value]

/** What can be redeemed, or undefined where there is nothing. */
const secretsOf = (entry: unknown) => {
  const fields: Fields = isObject(entry) ? entry : { redeemCardCode: entry }
  const secrets = given<Card>({
    sku: undefined,
    code: textOf(fields.redeemCardCode),
    pin: textOf(fields.redeemPin),
    serial: textOf(fields.redeemSerialNumber),
    link: textOf(fields.redeemLink),
  })
  const { expirationDate } = fields
  return Object.keys(secrets).length === 0
    ? undefined
    : { ...secrets, ...(typeof expirationDate === 'string' ? { expires: expirationDate.trim() } : {}) }
}

/** A list of them, or one, or an object that numbers them. */
const cardList = (cards: unknown): readonly unknown[] =>
  isObject(cards) && secretsOf(cards) === undefined ? Object.values(cards) : listOf(cards)

const cardsOf = (sku: string, entry: unknown): Card[] => {
  if (Array.isArray(entry)) return entry.flatMap((each) => cardsOf(sku, each))
  const data: Fields = isObject(entry) ? entry : { cards: entry }
  const common = given<Card>({ sku, value: decimalOf(data.value), currency: textOf(data.currency) })
  // Shape B: one card a PIN, all with the same link. Without a PIN the link may be what was bought.
  const { cards, redeemPin, ...rest } = data
  const pins = listOf(redeemPin).map((pin) => ({ ...rest, redeemPin: pin }))
  const entries = [...cardList(cards), ...pins]
  return (entries.length === 0 ? [rest] : entries)
    .map(secretsOf)
    .filter((secrets) => secrets !== undefined)
    .map((secrets) => ({ sku, ...common, ...secrets }))
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
