// What the text for a ticket is made from: an order, some of its cards, and what the journal knows about it. As JSON, too. Also
// who has seen codes, and when.
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Call, Entry } from '../../journal/orders/entries.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { OrderView } from '../../operations/view.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/words.ts'
import { maskCards } from '../cards/card-fields.ts'
import { sanitize } from '../terminal/text.ts'
import { formatClock, formatIso, toInstant } from '../text/formats.ts'
import {
  chooseFields,
  column,
  leaveOut,
  listOf,
  pick,
  type ResultField,
  type ResultFields,
  wordOf,
} from '../text/result-fields.ts'
import { actorFields, createDeliveredCount, type OrderFacts, orderFields } from './orders.ts'

type ListedReveal = Pick<Reveal, 'at' | 'who' | 'how' | 'skus'> &
  Partial<Pick<Reveal, 'orderId' | 'profile' | 'origin'>> & { readonly by?: NamedActor | undefined }

/** In a shared journal, the role says more than a login name such as root. */
export const revealFields: ResultFields<ListedReveal> = [
  column('revealedAt', 'time', 'when the codes were shown', ({ at }) => at, {
    title: 'WHEN',
    cell: ({ at }, view) => (toInstant(at) === undefined ? '?' : formatClock(at, view)),
  }),
  column('by', actorFields, 'the person who saw them', findRevealer, {
    title: 'WHO',
    cell: (reveal) => nameActor(findRevealer(reveal)),
  }),
  [
    'how',
    wordOf('reveal', 'qr', 'export', 'copy', 'replay', 'find'),
    'how they were shown',
    ({ how }) => how,
    { title: 'HOW' },
  ],
  ['orderId', 'text', 'the order', ({ orderId }) => orderId, { title: 'ORDER' }],
  column('skus', listOf('text'), 'the products whose codes were shown', ({ skus }) => skus, {
    title: 'SKUS',
    cell: ({ skus }) => skus.join(', '),
    narrow: 'wrap',
  }),
  column('profile', 'text', 'the profile that was used', ({ profile }) => profile, {
    title: 'PROFILE',
    narrow: 'leave-out',
  }),
  ['origin', 'text', 'the base URL of the service', ({ origin }) => origin],
]

/** Of the reveals of one order. */
export const orderRevealFields = chooseFields(revealFields, 'revealedAt', 'by', 'how', 'skus')

/** An export of many orders is one row. */
export const joinExports = (reveals: readonly ListedReveal[]): ListedReveal[] => {
  const groups = Map.groupBy(reveals, ({ at, who, how, profile }) => [at, who, how, profile].join('\n'))
  return [...groups.values()].flatMap((all) => {
    const [first] = all
    if (first?.how !== 'export' || all.length === 1) return all
    return [
      { ...first, orderId: `${all.length} orders`, skus: [...new Set(all.flatMap(({ skus }) => skus))] },
    ]
  })
}

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

type TicketRow = OrderFacts & { readonly ticket: Ticket }

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
