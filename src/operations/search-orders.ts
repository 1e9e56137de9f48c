// Asks the service about orders, the newest first, until an order has a card with this code, PIN, serial number or
// link.
import type { Outcome } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'
import type { Failure } from '../errors.ts'
import type { OrderWithId } from '../journal/orders/list-orders.ts'
import type { HashCard } from '../journal/orders/seen-cards.ts'
import type { Session } from './dependencies.ts'
import { createReadFailure } from './failures.ts'
import { type CardOfOrder, createCardHashes, foldCode, isShort, listUnrecorded } from './identify-cards.ts'
import type { Pace } from './pace.ts'
import { workInParallel } from './parallel.ts'
import { type Asking, observeOrder } from './read.ts'
import { isForgotten, isSameOrder } from './view.ts'

export type FoundOrder = {
  readonly entry: OrderWithId
  readonly matches: readonly CardMatch[]
  readonly names: ReadonlyMap<string, string>
  readonly cards: number
  /** Of the cards that match. */
  readonly hashes: readonly HashCard[]
}

export type Search = {
  /** Exact matches first, then the newest order first. */
  readonly found: readonly FoundOrder[]
  /** Orders whose cards were compared. */
  readonly compared: number
  /** Orders that the service has deleted. */
  readonly forgotten: number
  /** Orders that the service refused to show, or did not respond for. */
  readonly unread: number
  readonly problem: Failure | undefined
  /** When the oldest order that was compared was placed. */
  readonly backTo: number | undefined
}

type SearchSession = Asking &
  Pick<Session, 'interrupted'> & {
    readonly pace: Pace
    readonly onProgress: (search: Search) => void
  }

type Options = {
  readonly matcher: Matcher
  readonly findsAll: boolean
  /** The names of the products, without any code that they repeat. */
  readonly readNames: (order: Order) => ReadonlyMap<string, string>
}

/** After so many failures in a row, the service is down. */
const maxFailures = 8
/** An order is asked for again if the service was overloaded. */
const maxTries = 5

/** Ends early if the key is refused, the service is down, or the signal aborts. */
export const searchOrders = async (
  session: SearchSession,
  orders: readonly OrderWithId[],
  { matcher, findsAll, readNames }: Options,
): Promise<Search> => {
  const { interrupted, pace, onProgress } = session
  const found: FoundOrder[] = []
  const counts = { compared: 0, forgotten: 0, unread: 0 }
  const search: { -readonly [Field in keyof Search]: Search[Field] } = {
    ...{ found, ...counts, problem: undefined, backTo: undefined },
  }
  let failuresInARow = 0
  const isOver = (): boolean =>
    interrupted.aborted ||
    search.problem?.kind === 'credentials' ||
    failuresInARow >= maxFailures ||
    (!findsAll && found.length > 0)

  const compare = (
    entry: OrderWithId,
    order: Order,
    cards: readonly CardOfOrder[] = listUnrecorded(order),
  ): void => {
    search.compared += 1
    search.backTo = Math.min(search.backTo ?? entry.placedAt, entry.placedAt)
    const matches = matcher.findMatches(cards)
    if (matches.length === 0) return
    const matching = cards.filter(({ number }) => matches.some((match) => match.number === number))
    const hashes = createCardHashes(
      order.uid,
      matching.map(({ card }) => card),
    )
    found.push({ entry, matches, names: readNames(order), cards: cards.length, hashes })
  }

  const add = (entry: OrderWithId, outcome: Outcome<Order>, cards?: readonly CardOfOrder[]): void => {
    const hasResponded = outcome.kind === 'done' || isForgotten(outcome)
    failuresInARow = hasResponded ? 0 : failuresInARow + 1
    // A service that was reset uses its ids again.
    if (outcome.kind === 'done' && isSameOrder(entry, outcome.data)) compare(entry, outcome.data, cards)
    else if (hasResponded) search.forgotten += 1
    else {
      search.unread += 1
      search.problem = createReadFailure(outcome)
    }
    onProgress(search)
  }

  const read = async (entry: OrderWithId): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const { response: outcome, cards } = await observeOrder(
        session,
        { orderId: entry.orderId },
        interrupted,
      )
      if (interrupted.aborted && outcome.kind !== 'done') return
      const isOverloaded = 'status' in outcome && (outcome.status === 429 || outcome.status === 503)
      if (!isOverloaded || tries === maxTries || isOver()) return add(entry, outcome, cards)
      await pace.ready(interrupted)
    }
  }

  await workInParallel(orders, { ...pace, signal: interrupted }, async (entry) => {
    if (!isOver()) await read(entry)
  })
  return { ...search, found: sortFound(found).slice(0, findsAll ? undefined : 1) }
}

const sortFound = (found: readonly FoundOrder[]): FoundOrder[] => {
  const isInexact = ({ matches }: FoundOrder): number => (matches.some(({ isExact }) => isExact) ? 0 : 1)
  return found.toSorted(
    (one, other) =>
      isInexact(one) - isInexact(other) ||
      other.entry.placedAt - one.entry.placedAt ||
      other.entry.number - one.entry.number,
  )
}

type CardMatch = {
  /** The card's number in the order, as `--card` takes it. */
  readonly number: number
  readonly sku: string
  readonly kind: ValueKind
  /** False if the value differs in case, spaces or dashes. */
  readonly isExact: boolean
}

const shownKinds = ['code', 'pin', 'serial'] as const
const valueKinds = [...shownKinds, 'link'] as const
type ValueKind = (typeof valueKinds)[number]

export type Matcher = {
  /** One match for each card. */
  readonly findMatches: (cards: readonly CardOfOrder[]) => readonly CardMatch[]
  /** Several cards may have the same short value by chance. */
  readonly isShort: boolean
}

/**
 * Finds the cards whose masked code, PIN or serial number shows these last letters. `mask` shows them of long values
 * only, so that the letters are never a whole value.
 */
export const createEndMatcher = (letters: string, mask: (value: string) => string): Matcher => ({
  findMatches: (cards) =>
    cards.flatMap(({ card, number }): CardMatch[] => {
      const kind = shownKinds.find((each) => foldCode(mask(card[each] ?? '')).endsWith(foldCode(letters)))
      const isExact = kind !== undefined && card[kind]?.trim().endsWith(letters) === true
      return kind === undefined ? [] : [{ number, sku: card.sku, kind, isExact }]
    }),
  isShort: true,
})

/** Undefined if the value has no letter or digit. */
export const createMatcher = (value: string): Matcher | undefined => {
  const exact = value.trim()
  const normal = foldCode(exact)
  if (!/[\p{L}\p{N}]/u.test(normal)) return undefined
  return {
    findMatches: (cards) =>
      cards.flatMap(({ card, number }): CardMatch[] => {
        const kinds = valueKinds.filter((kind) => foldCode(card[kind]) === normal)
        const same = kinds.find((kind) => card[kind]?.trim() === exact)
        const kind = same ?? kinds[0]
        const { sku } = card
        return kind === undefined ? [] : [{ number, sku, kind, isExact: same !== undefined }]
      }),
    isShort: isShort(normal),
  }
}
