// Renders a search for a code: its orders, which card it is, who had it revealed, and how to search on. Shows no code.

import { formatUtcDay } from '../../contract/timestamp.ts'
import type { OrderReveal } from '../../journal/reveals.ts'
import type { FoundOrder, Search } from '../../operations/search-orders.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/actor-name.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { wrapProse } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'
import { describeCount } from '../text/amounts.ts'
import { paragraph, renderFields } from '../text/fields.ts'
import { describeRevealWay } from '../text/reveals.ts'
import { formatTime } from '../text/time.ts'

type FoundRow = Omit<FoundOrder, 'hashes'> & {
  /** Who placed the order. */
  readonly by: NamedActor | undefined
  readonly reveals: readonly OrderReveal[]
  /** The ids of other orders that have the same card. */
  readonly alsoOn: readonly string[]
}

const kindNames = { code: 'code', pin: 'PIN', serial: 'serial number', link: 'link' } as const
const nameWidth = 'Reference'.length + 2

export const renderFound = (found: readonly FoundRow[], view: View): string =>
  found.map((row) => renderRow(row, view)).join('\n')

const renderRow = ({ entry, by, matches, names, cards, reveals, alsoOn }: FoundRow, view: View): string => {
  const wrap = (text: string): string[] => wrapProse(text, view.width - nameWidth)
  const list = (texts: readonly string[]): string => texts.flatMap(wrap).join(`\n${' '.repeat(nameWidth)}`)
  const placedBy = by === undefined ? '' : `, by ${sanitize(nameActor(by))}`
  const shown = reveals.map(
    (reveal) =>
      `${formatTime(reveal.at, view)}, by ${sanitize(nameActor(findRevealer(reveal)))}, ` +
      describeRevealWay(reveal.how),
  )
  const cardTexts = matches.map(({ number, sku, kind, isExact }) => {
    const name = names.get(sku)
    const product = name === undefined ? sanitize(sku) : `${sanitize(sku)} (${sanitize(name)})`
    const note = isExact ? '' : ', written differently'
    return `${number} of ${cards}, ${product}: ${kindNames[kind]}${note}`
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

type Searched = {
  readonly found: readonly Pick<FoundOrder, 'matches'>[]
  readonly since: number
  readonly total: number
  readonly isEnded: boolean
  readonly search: Search
}

/** Orders that may have the card, although it was not found in them. */
export const listSearchWarnings = ({ search, total }: Searched): string[] => {
  const { compared, forgotten, unread, problem } = search
  const notAsked = total - compared - forgotten - unread
  const stopped =
    problem !== undefined && notAsked > 0 ? `; ${describeCount(notAsked, 'order')} not asked` : ''
  return [
    forgotten === 0 ? '' : `the service no longer has ${describeCount(forgotten, 'order')} of this period`,
    problem === undefined
      ? ''
      : `${describeCount(unread, 'order')} could not be read${stopped}: ${sanitize(problem.message)}`,
  ].filter((text) => text !== '')
}

type Shown = Searched & { readonly next: string; readonly width: number }

export const renderSearched = ({ found, since, total, isEnded, search, next, width }: Shown): string => {
  const matches = found.flatMap((order) => order.matches).length
  const day = formatUtcDay(since)
  const period = `the ${describeCount(total, 'order')} with cards since ${day}`
  if (matches === 0) {
    const none = total === 0 ? `There are no orders with cards since ${day}.` : `No card found in ${period}.`
    return paragraph(`${none} Search further back: ${next}`, width)
  }
  if (isEnded) return paragraph(`Found ${describe(matches, found.length)} in ${period}.`, width)
  const asked = search.compared + search.forgotten + search.unread
  if (asked === total) return ''
  return paragraph(`Searched ${asked} of ${period}. Search all of them: ${next}`, width)
}

const describe = (matches: number, orders: number): string =>
  orders === 1
    ? describeCount(matches, 'matching card')
    : `${describeCount(matches, 'matching card')} in ${orders} orders`
