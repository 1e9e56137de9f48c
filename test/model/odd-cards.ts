// A service that delivers cards late, renames them, lists a card twice and stops to show a card. It knows every name of a
// card, and when it was shown first.
import { createChoices } from './histories/choices.ts'
import type { Order } from './service.ts'

const minuteMs = 60_000

type Names = {
  readonly redeemCardCode: string
  readonly redeemLink: string
  readonly redeemSerialNumber: string
}

/** The names of a card, one after the other. */
const kinds: Readonly<Record<string, (code: string) => readonly Partial<Names>[]>> = {
  'its code': (code) => [{ redeemCardCode: code }],
  'its link, then its code': (code) => [
    { redeemLink: `https://redeem.example/${code}` },
    { redeemLink: `https://redeem.example/${code}`, redeemCardCode: code },
  ],
  'links with new tokens': (code) =>
    [1, 2, 3].map((token) => ({ redeemLink: `https://redeem.example/${code}?token=${token}` })),
  'a serial number that is added later': (code) => [
    { redeemLink: `https://redeem.example/${code}` },
    { redeemLink: `https://redeem.example/${code}`, redeemSerialNumber: `S-${code}` },
  ],
}

type Options = {
  /** Stops to show some cards. */
  readonly loses: boolean
  /** Calls an order successful before all its cards are there. */
  readonly isEarly: boolean
}

export type OddCards = ReturnType<typeof createOddCards>

export const createOddCards = (seed: number, { loses, isEarly }: Options) => {
  const cardOf = new Map<string, string>()
  /** By order: the cards that were shown so far, and when each was shown first. */
  const shown = new Map<string, Map<string, number>>()
  /** By order: the names in the last response. */
  const listed = new Map<string, readonly Partial<Names>[]>()

  const listNames = (order: Order, card: string, now: number): Partial<Names>[] => {
    const { happens, pick } = createChoices(`card ${card} of ${seed}`)
    const ageMs = now - (order.confirmedAt ?? now)
    const isLate = happens(0.4) && ageMs < pick([1, 5, 30, 180]) * minuteMs
    const isGone = happens(0.1) && ageMs > pick([20, 90]) * minuteMs && loses
    const names = kinds[pick(Object.keys(kinds))]?.(card) ?? []
    const step = Math.floor(ageMs / (pick([2, 15, 60]) * minuteMs))
    const name = names[Math.min(step, names.length - 1)]
    const isTwice = happens(0.15) && ageMs > pick([0, 40]) * minuteMs && ageMs < pick([2, 300]) * minuteMs
    return isLate || isGone || name === undefined ? [] : isTwice ? [name, name] : [name]
  }

  const change = (order: Order, data: Record<string, unknown>, now: number): void => {
    const known = shown.get(order.id) ?? new Map()
    shown.set(order.id, known)
    const products = order.products.map(({ sku, quantity }) => {
      const cards = Array.from({ length: quantity }, (_, index) => `${order.id}-${sku}-${index}`)
      // A card that is listed twice takes the place of a card that is late.
      const all = cards
        .flatMap((card) => listNames(order, card, now).map((name) => ({ card, name })))
        .slice(0, quantity)
      for (const { card, name } of all) {
        if (!known.has(card)) known.set(card, now)
        for (const text of Object.values(name)) cardOf.set(text, card)
      }
      return [sku, { cards: all.map(({ name }) => name), currency: 'USD' }] as const
    })
    listed.set(
      order.id,
      products.flatMap(([, { cards }]) => cards),
    )
    const count = products.reduce((sum, [, { cards }]) => sum + cards.length, 0)
    const ordered = order.products.reduce((sum, { quantity }) => sum + quantity, 0)
    data.state = isEarly || count === ordered ? 'successful' : count === 0 ? 'failed' : 'partial'
    data.redeem = Object.fromEntries(products)
  }

  return {
    change,
    /** The card that has this name. */
    find: (name: string): string | undefined => cardOf.get(name),
    /** How many cards of this product the order has shown so far. */
    countShown: (orderId: string, sku: string): number =>
      [...(shown.get(orderId)?.keys() ?? [])].filter((card) => card.startsWith(`${orderId}-${sku}-`)).length,
    /** Whether the order had not shown all its cards at this time. */
    isShort: ({ id, products }: Order, at: number): boolean =>
      [...(shown.get(id)?.values() ?? [])].filter((first) => first <= at).length <
      products.reduce((sum, { quantity }) => sum + quantity, 0),
    /** The names in the last response. */
    namesOf: ({ id }: Order): string[] => (listed.get(id) ?? []).flatMap((name) => Object.values(name)),
  }
}
