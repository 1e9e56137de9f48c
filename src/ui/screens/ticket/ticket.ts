// What the text for a ticket is made from: an order, some of its cards, and what the journal knows about it.
import type { Card } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Call, Entry } from '../../../journal/entry.ts'
import type { Reveal } from '../../../journal/reveals.ts'
import type { NamedActor } from '../../../text/actor-name.ts'
import { maskOpenFields } from '../../cards/cards.ts'
import { maskCode } from '../../masking/mask-codes.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { formatClock, toInstant } from '../../text/time.ts'

export type TicketCall = Call & { readonly by?: NamedActor }

type TicketReveal = Pick<Reveal, 'at' | 'how' | 'skus'> & { readonly by: NamedActor }

export type TicketHistory = Pick<Entry, 'profile' | 'placedAt' | 'confirmedAt'> & {
  readonly placedBy: NamedActor | undefined
  readonly calls: readonly TicketCall[]
  readonly reveals: readonly TicketReveal[]
}

export type Ticket = {
  readonly order: Order
  /** The numbers are those of redeem. */
  readonly cards: readonly { readonly number: number; readonly card: Card }[]
  /** The ticket is only about its only card. */
  readonly isOneCard: boolean
  /** Undefined if the order is not in the journal. */
  readonly history: TicketHistory | undefined
}

/** The products that the ticket is about. */
export const findTicketProducts = ({ order, cards, isOneCard }: Ticket) =>
  [...order.products].filter(([sku]) => !isOneCard || cards.some(({ card }) => card.sku === sku))

/** The reveals of these products, without those of other products. */
export const findTicketReveals = (ticket: Ticket): readonly TicketReveal[] => {
  const skus = findTicketProducts(ticket).map(([sku]) => sku)
  return (ticket.history?.reveals ?? []).filter((reveal) => skus.some((sku) => reveal.skus.includes(sku)))
}

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
