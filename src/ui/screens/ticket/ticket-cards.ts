// Describes the cards of a ticket without their codes.
import type { Card } from '../../../contract/redeem-cards.ts'
import { maskOpenFields } from '../../cards/cards.ts'
import { maskCode } from '../../masking/mask.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { formatClock, toInstant } from '../../text/time.ts'
import type { Ticket } from './ticket.ts'

/** The last four letters of a long code: enough to find a card, and not enough to redeem it. */
export const findEnding = ({ code = '' }: Card): string | undefined =>
  maskCode(code).replace(/^•+/, '') || undefined

export const listSecrets = ({ code, pin, serial, link }: Card): string[] =>
  Object.entries({ code, PIN: pin, 'serial number': serial, link })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)

/** Undefined if the card does not expire, or has no valid date. */
export const findExpiry = (card: Card): number | undefined => {
  const [{ expires = '' } = {}] = maskOpenFields([card])
  return expires === '' ? undefined : toInstant(expires)
}

export const explainCards = ({ cards, order }: Ticket): string[] =>
  cards.map(({ number, card }) => {
    const ending = findEnding(card)
    const secrets = listSecrets(card).map((name) =>
      name === 'code' && ending !== undefined ? `code ending in ${sanitize(ending)}` : name,
    )
    const expiry = findExpiry(card)
    const expires =
      expiry === undefined ? '' : ` Expires ${formatClock(expiry, { timeZone: 'UTC', now: 0 })}.`
    const name = order.products.get(card.sku)?.shopItem.name
    const product = name === undefined ? sanitize(card.sku) : `${sanitize(card.sku)} (${sanitize(name)})`
    return `Card ${number}, ${product}: ${secrets.join(', ')}.${expires}`
  })
