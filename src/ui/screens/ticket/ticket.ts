// What the text for a ticket is made from: an order, some of its cards, and what the journal knows about it.

import type { Card } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Call, Entry } from '../../../journal/entry.ts'
import type { Reveal } from '../../../journal/reveals.ts'
import type { NamedActor } from '../../../text/actor-name.ts'

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
