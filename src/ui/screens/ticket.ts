// What the text for a ticket is made from: an order, some of its cards, and what the journal knows about it. As JSON, too.
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Call, Entry } from '../../journal/orders/entries.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { OrderView } from '../../operations/view.ts'
import type { NamedActor } from '../../text/words.ts'
import { maskCards } from '../cards/card-fields.ts'
import { sanitize } from '../terminal/text.ts'
import { formatIso } from '../text/formats.ts'
import { leaveOut, listOf, pick, type ResultField, type ResultFields, wordOf } from '../text/result-fields.ts'
import { actorFields, createDeliveredCount, type OrderFacts, orderFields } from './orders.ts'
import { orderRevealFields } from './reveals.ts'

export type TicketCall = Call & { readonly by?: NamedActor }

type TicketReveal = Pick<Reveal, 'at' | 'how' | 'skus'> & { readonly by: NamedActor }

export type TicketHistory = Pick<Entry, 'profile' | 'placedAt' | 'confirmedAt' | 'placedWith'> & {
  readonly batch: string | undefined
  readonly successor: string | undefined
  /** This database role may not confirm the order. */
  readonly needsOtherRole: boolean
  readonly placedBy: NamedActor | undefined
  readonly calls: readonly TicketCall[]
  readonly reveals: readonly TicketReveal[]
}

export type Ticket = {
  readonly order: Order
  readonly view: OrderView
  /** The numbers are those of redeem. */
  readonly cards: readonly { readonly number: number; readonly card: Card }[]
  /** The ticket is only about its only card. */
  readonly isOneCard: boolean
  /** Undefined if the order is not in the journal. */
  readonly history: TicketHistory | undefined
}

/** The products that the ticket is about, and the number of their cards. */
export const findTicketProducts = ({ order, view, cards, isOneCard }: Ticket) => {
  const countDelivered = createDeliveredCount(order, view)
  return [...order.products]
    .filter(([sku]) => !isOneCard || cards.some(({ card }) => card.sku === sku))
    .map(([sku, product]) => ({ ...product, sku, delivered: countDelivered(sku, product.request.quantity) }))
}

/** The reveals of these products, without those of other products. */
export const findTicketReveals = (ticket: Ticket): readonly TicketReveal[] => {
  const skus = new Set(findTicketProducts(ticket).map(({ sku }) => sku))
  return (ticket.history?.reveals ?? []).filter((reveal) => !skus.isDisjointFrom(new Set(reveal.skus)))
}

const ways = new Map([
  ['reveal', 'shown'],
  ['qr', 'shown as a QR code'],
  ['export', 'written to a file'],
  ['copy', 'copied to the clipboard'],
  ['replay', 'sent by listen'],
])

/** 'shown as a QR code'. */
export const describeRevealWay = (how: string): string => ways.get(how) ?? sanitize(how)

/** What a card has, without its secrets. `ending`: enough to find a card, and not enough to redeem it. */
export const describeCards = ({ cards, order }: Ticket) =>
  cards.map(({ number, card }) => {
    const { code, pin, serial, link } = card
    const secrets = Object.entries({ code, PIN: pin, 'serial number': serial, link })
    const [masked] = maskCards([card])
    return {
      card: number,
      sku: card.sku,
      product: order.products.get(card.sku)?.shopItem.name ?? null,
      has: secrets.filter(([, value]) => value !== undefined).map(([name]) => name),
      ending: masked?.code?.replace(/^•+/, '') || null,
      expires: formatIso(masked?.expires),
    }
  })

const callFields: ResultFields<TicketCall> = [
  ...pick((call: TicketCall) => call, {
    operation: [wordOf('create', 'confirm'), 'the call'],
    startedAt: ['time', 'when it was sent'],
    by: [actorFields, 'the person who sent it'],
    outcome: [wordOf('done', 'refused', 'not-sent', 'unknown', 'sending'), 'its outcome'],
    settled: ['text', 'what was proven later'],
  }),
  ['httpStatus', 'count', 'the HTTP status of the response', ({ status }) => status],
  ['refusal', 'text', 'why the service refused it', ({ refusal }) => refusal],
]

export type TicketRow = OrderFacts & { readonly ticket: Ticket }

/** Of the products that the ticket is about. */
const listProducts = ({ products, ticket }: TicketRow) => {
  const skus = findTicketProducts(ticket).map(({ sku }) => sku)
  return products?.filter(({ sku }) => skus.includes(sku))
}

/** Without the response of the service. */
export const ticketFields: ResultFields<TicketRow> = [
  ...leaveOut(orderFields, 'service').map(
    ([name, type, meaning, read]): ResultField<TicketRow> => [
      name,
      type,
      meaning,
      name === 'products' ? listProducts : read,
    ],
  ),
  [
    'reveals',
    listOf(orderRevealFields),
    'who saw its codes',
    ({ ticket }) => findTicketReveals(ticket).map((reveal) => ({ ...reveal, who: reveal.by.user })),
  ],
  ['calls', listOf(callFields), 'its creates and confirms', ({ ticket }) => ticket.history?.calls ?? []],
]
