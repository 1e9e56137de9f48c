// Renders a search for a code: its orders, which card it is, who had it revealed, and how to search on. Shows no code.

import { formatUtcDay } from '../../contract/time.ts'
import type { OrderReveal } from '../../journal/orders/seen-cards.ts'
import type { FoundOrder, Search } from '../../operations/search-orders.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/actor-name.ts'
import { describeRevealWay } from '../../ui/screens/ticket.ts'
import { sanitize, wrapProse } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { describeCount, describeSku, formatIso, formatTime } from '../../ui/text/formats.ts'
import { pick, type ResultFields, readFields } from '../../ui/text/result-fields.ts'
import { paragraph, renderFields } from '../../ui/text/table.ts'

export type DescribedOrder = Omit<FoundOrder, 'hashes'> & {
  readonly by: NamedActor | undefined
  /** Of the products that match. */
  readonly reveals: readonly OrderReveal[]
  /** The ids of other orders that have the same card. */
  readonly alsoOn: readonly string[]
}

type FoundCard = {
  readonly order: DescribedOrder
  readonly match: FoundOrder['matches'][number]
}

const orderOf = ({ order }: FoundCard) => order

const listReveals = ({ order, match }: FoundCard) =>
  order.reveals
    .filter(({ skus }) => skus.includes(match.sku))
    .map(({ at, who, how, by }) => ({ at: formatIso(at), who, how, by }))

export const matchFields: ResultFields<FoundCard> = [
  ['id', ({ order }) => order.entry.orderId],
  ['reference', ({ order }) => order.entry.reference],
  ['sku', ({ match }) => match.sku],
  ['product', ({ order, match }) => order.names.get(match.sku)],
  ['card', ({ match }) => match.number],
  ...pick(orderOf, 'cards'),
  ['kind', ({ match }) => match.kind],
  ['exact', ({ match }) => match.isExact],
  ['placedAt', ({ order }) => formatIso(order.entry.placedAt)],
  ...pick(orderOf, 'by', 'alsoOn'),
  ['reveals', listReveals],
]

export const readSearch = ({ found, since, total, search }: Searched) => {
  const { compared, forgotten, unread } = search
  const notAsked = total - compared - forgotten - unread
  return {
    searched: { since: formatIso(since), orders: total, compared, forgotten, unread, notAsked },
    matches: found.flatMap((order) =>
      order.matches.map((match) => readFields(matchFields, { order, match })),
    ),
  }
}

const kindNames = { code: 'code', pin: 'PIN', serial: 'serial number', link: 'link' } as const
const nameWidth = 'Reference'.length + 2

export const renderFound = (found: readonly DescribedOrder[], view: View): string =>
  found.map((row) => renderRow(row, view)).join('\n')

const renderRow = (
  { entry, by, matches, names, cards, reveals, alsoOn }: DescribedOrder,
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
    return `${number} of ${cards}, ${describeSku(sku, names.get(sku))}: ${kindNames[kind]}${note}`
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
