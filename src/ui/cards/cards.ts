// Renders the cards of an order: as a table, in which codes are masked unless they are revealed, and as plain text.
import { type Card, findCards, type Shortfall } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { sanitize } from '../terminal/text.ts'
import { type Here, type Theme, themeFor, type View } from '../terminal/view.ts'
import { describeCount, formatDate, toInstant } from '../text/formats.ts'
import { renderJson } from '../text/json.ts'
import { listColumns } from '../text/result-fields.ts'
import { fitsTable, readTable, renderFields, renderSection, renderTable, right } from '../text/table.ts'
import { formatValue, maskCards, type OwnedCard, ownedCardFields, readCards } from './card-fields.ts'
import { renderInstructions } from './instructions.ts'

/** Leaves out empty columns. `first` is the number of the first card in the list of all cards. */
export const renderCards = (given: readonly OwnedCard[], reveal: boolean, view: View, first = 1): string => {
  if (given.length === 0) return ''
  const cards = reveal ? given : maskCards(given)
  const columns = listColumns(ownedCardFields, cards, view).filter(([, read]) =>
    cards.some((card, index) => read(card, index) !== ''),
  )
  const whole = readTable(columns, cards)
  if (fitsTable(...whole, view.width)) return renderTable(...whole, view)
  // Links are the longest texts. Below the table the terminal wraps them, so that a copied link has no line break.
  const rest = columns.filter(([title]) => title !== 'LINK')
  const numbered = readTable([['#', (_, index) => String(index + first), right], ...rest], cards)
  if (!fitsTable(...numbered, view.width)) return renderTable(...whole, view)
  const links = cards.map(({ link }, index) => (link ? `${index + first}  ${sanitize(link)}\n` : ''))
  return `${renderTable(...numbered, view)}\n${renderSection('Links', links.join(''), view)}`
}

/** One line for each product with fewer cards than ordered. */
export const renderShortfalls = (shortfalls: readonly Shortfall[], theme: Theme): string =>
  shortfalls
    .map(({ sku, ordered, received }) => {
      const count = received === 0 ? 'no card' : `only ${received}`
      return `${theme.bad('missing:')} ${sanitize(sku)}: ${ordered} ordered, ${count} received\n`
    })
    .join('')

export type CardOrder = Pick<Order, 'uid' | 'reference' | 'products' | 'redeem'> & {
  /** Default: the cards in `redeem`. */
  readonly cards?: readonly OwnedCard[]
}

export const listCards = ({ redeem, cards }: Pick<CardOrder, 'redeem' | 'cards'>): readonly OwnedCard[] =>
  cards ?? findCards(redeem)

/** The value for the QR code. A link comes first, because a camera can open it. */
export const scannable = ({ link, code, pin }: Card): string | undefined => link ?? code ?? pin

// Spec silent: an empty date means that the card never expires.
export const describeExpiry = ({ expires }: Card, here: Here): string | undefined => {
  if (expires === undefined || expires === '') return expires === '' ? 'never' : undefined
  const at = toInstant(expires)
  return `${formatDate(expires, here)}${at !== undefined && at <= here.now ? ' (expired)' : ''}`
}

/** The same as redeem --json --reveal. */
export const renderCardsJson = (order: CardOrder): string => {
  const { uid: id, redeem } = order
  return renderJson({ id, redeem, cards: readCards(listCards(order), true, ownedCardFields) })
}

const width = 80

export const renderCardList = (order: CardOrder, here: Here): string => {
  const view = { ...here, width, theme: themeFor({ colour: false }) }
  const cards = listCards(order)
  const texts = cards.map((card, index) => {
    const { sku, code, pin, serial, link, row } = card
    const title = [order.products.get(sku)?.shopItem.name ?? '', sku, formatValue(card)]
    const expires = describeExpiry(card, here)
    const fields = { Code: code, PIN: pin, Serial: serial, Link: link, Expires: expires, Row: row }
    const shown = Object.entries(fields).map(([label, text]) => [label, text && sanitize(text)] as const)
    return `${index + 1}. ${title.filter(Boolean).map(sanitize).join(', ')}\n${renderFields(shown, view)}`
  })
  const heading = `Order ${sanitize(order.uid)}: ${describeCount(cards.length, 'card')}\n`
  return [heading, ...texts, renderInstructions(order.redeem, true, view)]
    .filter((part) => part !== '')
    .join('\n')
}
