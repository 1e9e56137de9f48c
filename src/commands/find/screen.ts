// Renders a search for a code: its orders, which card it is, who had it revealed, and how to search on. Shows no code.

import { formatUtcDay } from '../../contract/time.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { OrderReveal } from '../../journal/orders/list-orders.ts'
import type { FoundOrder, Search } from '../../operations/search-orders.ts'
import { findRevealer, nameActor } from '../../text/words.ts'
import { listedFields, type OrderFacts } from '../../ui/screens/orders.ts'
import { describeRevealWay, orderRevealFields } from '../../ui/screens/ticket.ts'
import { sanitize, wrapProse } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { describeCount, describeSku, formatTime } from '../../ui/text/formats.ts'
import { leaveOut, listOf, pick, type ResultFields, wordOf } from '../../ui/text/result-fields.ts'
import { paragraph, renderFields } from '../../ui/text/table.ts'

export type DescribedOrder = Omit<FoundOrder, 'hashes' | 'cards' | 'entry'> &
  OrderFacts & {
    readonly entry: Entry & { readonly orderId: string }
    readonly cardCount: number
    /** Of the products that match. */
    readonly reveals: readonly OrderReveal[]
    /** The ids of other orders that have the same card. */
    readonly alsoOn: readonly string[]
  }

type FoundCard = FoundOrder['matches'][number] & { readonly name: string | undefined }

const foundCardFields: ResultFields<FoundCard> = [
  ...pick((card: FoundCard) => card, {
    number: ['count', 'its number in the order, as in redeem'],
    sku: ['text', 'the SKU'],
    name: ['text', "the product's name"],
    kind: [wordOf('code', 'pin', 'serial', 'link'), 'what matches'],
  }),
  ['exact', 'flag', 'it is written in the same way', ({ isExact }) => isExact],
]

const foundOrderFields: ResultFields<DescribedOrder> = [
  ...leaveOut(listedFields, 'cardCounts'),
  [
    'cards',
    listOf(foundCardFields),
    'its cards that match',
    ({ matches, names }) => matches.map((match) => ({ ...match, name: names.get(match.sku) })),
  ],
  ['reveals', listOf(orderRevealFields), 'who saw the codes of these products', ({ reveals }) => reveals],
  ['otherOrderIds', listOf('text'), 'other orders with the same code', ({ alsoOn }) => alsoOn],
]

const countFields: ResultFields<Searched> = [
  ['startsAt', 'time', 'the first time of the period', ({ since }) => since],
  ['orderCount', 'count', 'orders with cards in the period', ({ total }) => total],
  ['comparedCount', 'count', 'orders that were compared', ({ search }) => search.compared],
  ['forgottenCount', 'count', 'orders that the service no longer has', ({ search }) => search.forgotten],
  ['unreadCount', 'count', 'orders that could not be read', ({ search }) => search.unread],
  [
    'notAskedCount',
    'count',
    'orders that were not asked for',
    ({ total, search: { compared, forgotten, unread } }) => total - compared - forgotten - unread,
  ],
]

export const searchFields: ResultFields<Searched> = [
  ['searched', countFields, 'what was searched', (searched) => searched],
  ['orders', listOf(foundOrderFields), 'the orders that have the card', ({ found }) => found],
]

const kindNames = { code: 'code', pin: 'PIN', serial: 'serial number', link: 'link' } as const
const nameWidth = 'Reference'.length + 2

export const renderFound = (found: readonly DescribedOrder[], view: View): string =>
  found.map((row) => renderRow(row, view)).join('\n')

const renderRow = (
  { entry, by, matches, names, cardCount, reveals, alsoOn }: DescribedOrder,
  view: View,
): string => {
  const list = (texts: readonly string[]): string =>
    texts.flatMap((text) => wrapProse(text, view.width - nameWidth)).join(`\n${' '.repeat(nameWidth)}`)
  const placedBy = by === undefined ? '' : `, by ${sanitize(nameActor(by))}`
  const shown = reveals.map((reveal) => {
    const revealer = sanitize(nameActor(findRevealer(reveal)))
    return `${formatTime(reveal.at, view)}, by ${revealer}, ${describeRevealWay(reveal.how)}`
  })
  const cardTexts = matches.map(({ number, sku, kind, isExact }) => {
    const note = isExact ? '' : ', written differently'
    return `${number} of ${cardCount}, ${describeSku(sku, names.get(sku))}: ${kindNames[kind]}${note}`
  })
  return renderFields(
    [
      ['Order', view.theme.strong(sanitize(entry.orderId))],
      ['Reference', entry.reference === undefined ? undefined : list([sanitize(entry.reference)])],
      [matches.length === 1 ? 'Card' : 'Cards', list(cardTexts)],
      ['Also on', alsoOn.length === 0 ? undefined : list([alsoOn.map(sanitize).join(', ')])],
      ['Placed', list([`${formatTime(entry.placedAt, view)}${placedBy}`])],
      ['Revealed', list(shown.length === 0 ? ['never with this journal'] : shown)],
    ],
    view,
  )
}

export type Searched = {
  readonly found: readonly DescribedOrder[]
  readonly since: number
  /** How many orders the period has. */
  readonly total: number
  /** Whether all orders were asked for. */
  readonly isEnded: boolean
  readonly search: Search
}

const describeOrders = (count: number): string => describeCount(count, 'order')

/** Orders that may have the card, although it was not found in them. */
export const listSearchWarnings = ({ search, total }: Searched): string[] => {
  const { compared, forgotten, unread, problem } = search
  const warnings: string[] = []
  if (forgotten > 0) warnings.push(`the service no longer has ${describeOrders(forgotten)} of this period`)
  if (problem !== undefined) {
    const notAsked = total - compared - forgotten - unread
    const stopped = notAsked > 0 ? `; ${describeOrders(notAsked)} not asked` : ''
    warnings.push(`${describeOrders(unread)} could not be read${stopped}: ${sanitize(problem.message)}`)
  }
  return warnings
}

/** `next` is the command that continues the search. */
export const renderSearched = (searched: Searched, next: string, width: number): string => {
  const { found, since, total, isEnded, search } = searched
  const matches = found.flatMap((order) => order.matches).length
  const day = formatUtcDay(since)
  const period = `the ${describeOrders(total)} with cards since ${day}`
  if (matches === 0) {
    const none = total === 0 ? `There are no orders with cards since ${day}.` : `No card found in ${period}.`
    return paragraph(`${none} Search further back: ${next}`, width)
  }
  if (isEnded) {
    const cards = describeCount(matches, 'matching card')
    const orders = found.length === 1 ? '' : ` in ${found.length} orders`
    return paragraph(`Found ${cards}${orders} in ${period}.`, width)
  }
  const asked = search.compared + search.forgotten + search.unread
  if (asked === total) return ''
  return paragraph(`Searched ${asked} of ${period}. Search all of them: ${next}`, width)
}
