// Renders the cards of an order as plain text for a mail or a ticket.
import { findCards } from '../../contract/redeem-cards.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { themeFor } from '../terminal/theme.ts'
import type { Here } from '../terminal/view.ts'
import { renderFields } from '../text/fields.ts'
import { type CardOrder, describeExpiry } from './card-order.ts'
import { formatValue } from './cards.ts'
import { renderInstructions } from './instructions.ts'

const width = 80

export const renderCardList = (order: CardOrder, here: Here): string => {
  const view = { ...here, width, theme: themeFor({ colour: false }) }
  const cards = findCards(order.redeem)
  const texts = cards.map((card, index) => {
    const { sku, code, pin, serial, link } = card
    const name = order.products.get(sku)?.shopItem.name
    const title = [name, sku, formatValue(card)].filter((part) => part !== undefined && part !== '')
    const fields = [
      ['Code', code],
      ['PIN', pin],
      ['Serial', serial],
      ['Link', link],
      ['Expires', describeExpiry(card, here)],
    ] as const
    return `${index + 1}. ${title.map((part) => sanitize(part ?? '')).join(', ')}\n${renderFields(
      fields.map(([label, text]) => [label, text && sanitize(text)]),
      view,
    )}`
  })
  const heading = `Order ${sanitize(order.uid)}: ${cards.length} ${cards.length === 1 ? 'card' : 'cards'}\n`
  return [heading, ...texts, renderInstructions(order.redeem, true, view)]
    .filter((part) => part !== '')
    .join('\n')
}
