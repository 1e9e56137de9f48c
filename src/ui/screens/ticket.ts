// What the text for a ticket is made from: an order, some of its cards, and what the journal knows about it. As JSON, too.
import { type Card, findCards } from '../../contract/order/redeem-cards.ts'
import type { Order, ProductEntry } from '../../contract/schemas.ts'
import type { Call, Entry } from '../../journal/orders/entries.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { OrderView } from '../../operations/view.ts'
import type { NamedActor } from '../../text/actor-name.ts'
import { maskCards } from '../cards/card-fields.ts'
import { maskOrder } from '../masking/mask-response.ts'
import { sanitize } from '../terminal/text.ts'
import { formatIso } from '../text/formats.ts'
import { pick, type ResultFields, readFields } from '../text/result-fields.ts'

export type TicketCall = Call & { readonly by?: NamedActor }

type TicketReveal = Pick<Reveal, 'at' | 'how' | 'skus'> & { readonly by: NamedActor }

export type TicketHistory = Pick<Entry, 'profile' | 'placedAt' | 'confirmedAt' | 'placedWith'> & {
  readonly batch: string | undefined
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
  const received = Map.groupBy(findCards(order.redeem), ({ sku }) => sku)
  // A final order may not show all the cards any more that it has delivered.
  const countDelivered = (sku: string, { request }: ProductEntry): number =>
    view.isFinal
      ? (view.shortfalls.find((each) => each.sku === sku)?.received ?? request.quantity)
      : (received.get(sku)?.length ?? 0)
  return [...order.products]
    .filter(([sku]) => !isOneCard || cards.some(({ card }) => card.sku === sku))
    .map(([sku, product]) => ({ ...product, sku, delivered: countDelivered(sku, product) }))
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

const actorData = (actor: NamedActor | undefined) => ({
  by: actor?.role ?? actor?.user,
  writtenBy: actor?.writtenBy,
})

const listProducts = (ticket: Ticket) =>
  findTicketProducts(ticket).map(({ sku, request, shopItem, delivered }) => ({
    ...{ sku, name: shopItem.name, quantity: request.quantity, each: request.quote },
    ...{ currency: shopItem.baseCurrency, delivered },
  }))

const listCalls = ({ history }: Ticket) =>
  history?.calls.map(({ operation, outcome, settled, status, refusal, startedAt, by }) => ({
    ...{ operation, at: formatIso(startedAt), ...actorData(by) },
    ...{ outcome, settled, status, refusal },
  }))

const describePayment = ({ order: { invoice }, history }: Ticket) => ({
  ...{ at: formatIso(history?.confirmedAt), total: invoice.total },
  ...{ currency: invoice.wallet, invoice: invoice.status },
})

/** Times are in UTC. */
export const ticketFields: ResultFields<Ticket> = [
  ['id', ({ order }) => order.uid],
  ...pick(({ order }: Ticket) => order, 'reference', 'state'),
  ...pick(({ view }: Ticket) => view, 'money', 'progress', 'decision'),
  ['profile', ({ history }) => history?.profile],
  [
    'ordered',
    ({ order, history }) => ({ at: formatIso(order.createdDate), ...actorData(history?.placedBy) }),
  ],
  ['paid', describePayment],
  ['changed', ({ order }) => formatIso(order.modifiedDate)],
  ['products', listProducts],
  ['cards', describeCards],
  [
    'reveals',
    (ticket) =>
      findTicketReveals(ticket).map(({ at, by, how, skus }) => ({
        at: formatIso(at),
        ...actorData(by),
        how,
        skus,
      })),
  ],
  ['calls', (ticket) => listCalls(ticket) ?? []],
]

export const readTicket = (ticket: Ticket) =>
  readFields(ticketFields, { ...ticket, order: maskOrder(ticket.order) })
