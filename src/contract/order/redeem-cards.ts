// Converts redeem data of both documented shapes, and of undocumented ones, to a list of cards (order-service.md 2.8).
import { createCodeFinder, findLookalikes, replaceNamedPins, toPlainText } from '../../text/known-codes.ts'
import { type Decimal, formatDecimal, isDecimal } from '../money/decimal.ts'
import type { Order } from '../schemas.ts'
import { isObject, listEntries, toDecimal } from '../shape.ts'
import { hiddenMark } from '../states.ts'

export type Card = {
  readonly sku: string
  readonly value?: Decimal
  readonly currency?: string
  readonly code?: string
  readonly pin?: string
  readonly serial?: string
  readonly link?: string
  /** Empty if the service sent an empty date. Absent if it sent none. */
  readonly expires?: string
}

export type Shortfall = { readonly sku: string; readonly ordered: number; readonly received: number }

type Fields = Readonly<Record<string, unknown>>

const readText = (value: unknown): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

/** The fields that contain a card's secrets. */
export const secretFields = {
  code: 'redeemCardCode',
  pin: 'redeemPin',
  serial: 'redeemSerialNumber',
  link: 'redeemLink',
} as const

/** Flattens nested lists and objects with numbered values. Returns undefined for a single value. */
const flattenList = (value: unknown): readonly unknown[] | undefined => {
  if (!Array.isArray(value) && !isObject(value)) return undefined
  return Object.values(value).flatMap((each) => flattenList(each) ?? [each])
}

type Secrets = Omit<Card, 'sku' | 'value' | 'currency'>

/** Returns as many cards as the longest list contains. A single value belongs to each card. */
const readSecrets = (entry: unknown): Secrets[] => {
  const fields: Fields = isObject(entry) ? entry : { redeemCardCode: entry }
  const { expirationDate } = fields
  const expires = typeof expirationDate === 'string' ? { expires: expirationDate.trim() } : {}
  const lists = Object.entries(secretFields).map(([kind, name]) => {
    const value = fields[name]
    return { kind, value, list: flattenList(value) }
  })
  const count = Math.max(1, ...lists.map(({ list }) => list?.length ?? 0))
  const cards: Secrets[] = []
  for (let at = 0; at < count; at += 1) {
    const secrets: Record<string, string> = {}
    for (const { kind, value, list } of lists) {
      const text = readText(list === undefined ? value : list[at])
      if (text !== undefined) secrets[kind] = text
    }
    if (Object.keys(secrets).length > 0) cards.push({ ...secrets, ...expires })
  }
  return cards
}

/** Accepts a list of cards, one card, or an object with numbered cards. */
const listCards = (cards: unknown): readonly unknown[] =>
  isObject(cards) && readSecrets(cards).length === 0 ? Object.values(cards) : [cards].flat(10)

const readCards = (sku: string, entry: unknown): Card[] => {
  if (Array.isArray(entry)) return entry.flatMap((each) => readCards(sku, each))
  const data: Fields = isObject(entry) ? entry : { cards: entry }
  const common = { sku, value: toDecimal(data.value), currency: readText(data.currency) }
  const cards = listCards(data.cards).flatMap(readSecrets)
  // In shape B, each PIN is a card and all share one link. Without a PIN, the link may be the product.
  const others = readSecrets({ ...data, cards: undefined })
  const [{ code, pin, serial, link } = {}] = others
  const isSharedLink = others.length === 1 && (code ?? pin ?? serial) === undefined
  const all =
    isSharedLink && cards.some((card) => card.link === undefined)
      ? cards.map((card) => ({ link, ...card }))
      : [...cards, ...others]
  return all.map((secrets) => ({ ...common, ...secrets }))
}

const cardsOf = new WeakMap<object, readonly Card[]>()

/**
 * Accepts a Map from the schema or plain JSON, which nothing changes. Omits empty cards. Six steps of a batch need the
 * cards of one response: to read them each time takes 2 % of `batch run`.
 */
export const findCards = (redeem: unknown): readonly Card[] => {
  const known = cardsOf.get(redeem as object)
  if (known !== undefined) return known
  const entries = listEntries(redeem)
  if (entries === undefined) return []
  const cards = entries.flatMap(([sku, entry]) => readCards(sku, entry))
  cardsOf.set(redeem as object, cards)
  return cards
}

/** The codes, PINs, serial numbers and links of these cards. */
export const listSecrets = (cards: readonly Card[]): string[] =>
  cards.flatMap(({ code, pin, serial, link }) =>
    [code, pin, serial, link].filter((each) => each !== undefined),
  )

/** How many cards of each product an order shows. */
export const countReceived = ({ products, redeem }: Pick<Order, 'products' | 'redeem'>): Shortfall[] =>
  countBySku(products, findCards(redeem))

const countBySku = (products: Order['products'], cards: readonly Card[]): Shortfall[] => {
  const received = Map.groupBy(cards, ({ sku }) => sku)
  return [...products].map(([sku, { request }]) => ({
    sku,
    ordered: request.quantity,
    received: received.get(sku)?.length ?? 0,
  }))
}

const documentedFields: ReadonlySet<string> = new Set([
  ...['redeemInstructions', 'currency', 'value', 'expirationDate'],
  ...Object.values(secretFields),
])

/** A text with a digit, or of capitals, that is neither a date nor a sentence. */
const isLikeCode = (text: string): boolean =>
  /^(?=.*\d).{4,}$|^[A-Z][A-Z -]{5,}$/.test(text) && !/^\d{4}-\d\d-\d\d(T|$)|(^|\s)[a-z]{2,}(\s|$)/.test(text)

/** Not '25-character', 'NON-REFUNDABLE', 'redeem2026' or a phone number. */
const isCodeInSentence = (word: string): boolean => {
  const parts = word.split(/[^\p{L}\p{N}]+/u)
  const digits = parts.join('')
  if (/^\d+$/.test(digits)) return digits.length > 12
  const length = parts[0]?.length ?? 0
  const isGrouped = parts.length > 2 && length > 3 && parts.every((part) => part.length === length)
  return isGrouped || parts.some((part) => !/^(?:\p{L}+|\d{1,4}|\p{L}\p{Ll}+\d{1,4})$/u.test(part))
}

const phoneNumber = /\+\d[\d -]{6,}/g

/** 'Your code is AB12-CD34-EF56.' */
const mayContainCode = (text: string): boolean => {
  const plain = toPlainText(text).replaceAll(phoneNumber, ' ')
  return findLookalikes(plain).some(isCodeInSentence) || replaceNamedPins(plain, () => '') !== plain
}

/** `strip` removes the codes that are known. */
const mayHoldCode = (value: unknown, strip: (text: string) => string, isInstruction = false): boolean => {
  if (typeof value === 'string') {
    const text = strip(value.trim())
    return mayContainCode(text) || (!isInstruction && isLikeCode(text))
  }
  // A shorter number is not a code.
  if (typeof value === 'number' || isDecimal(value)) return /^\d{8,}$/.test(strip(readText(value) ?? ''))
  const fields = Array.isArray(value) ? value.map((each) => ['', each] as const) : (listEntries(value) ?? [])
  return fields.some(([name, each]) => {
    if (name === 'redeemInstructions') return mayHoldCode(each, strip, true)
    // The other fields of a card are no card.
    const isCard = isObject(each) && readSecrets(each).length > 0
    return !documentedFields.has(name) && !isCard && mayHoldCode(each, strip, isInstruction)
  })
}

/** Whether an order may have cards that countReceived does not count: in an undocumented form, or without their SKU. */
export const mayHideCards = (order: Pick<Order, 'products' | 'redeem'>): boolean => {
  const { products, redeem } = order
  const cards = findCards(redeem)
  if (
    [...cards.map(({ sku }) => sku), ...products.keys()].some(
      (sku) => !products.has(sku) || sku.startsWith(hiddenMark),
    )
  )
    return true
  const counts = countBySku(products, cards)
  const complete = new Set(
    counts.filter(({ ordered, received }) => received >= ordered).map(({ sku }) => sku),
  )
  const others = (listEntries(redeem) ?? []).filter(([sku]) => !complete.has(sku))
  if (others.length === 0) return false
  const { replace } = createCodeFinder(listSecrets(cards))
  return others.some(([, entry]) => mayHoldCode(entry, (text) => replace(text, () => '')))
}
