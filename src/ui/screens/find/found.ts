// Renders the orders of a code that was searched: which card it is, and who had it revealed. Shows no code.
import type { OrderReveal } from '../../../journal/history.ts'
import type { FoundOrder } from '../../../operations/find/search-orders.ts'
import { findRevealer, type NamedActor, nameActor } from '../../../text/actor-name.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { wrapProse } from '../../terminal/text-width.ts'
import type { View } from '../../terminal/view.ts'
import { renderFields } from '../../text/fields.ts'
import { describeRevealWay } from '../../text/reveals.ts'
import { formatTime } from '../../text/time.ts'

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
