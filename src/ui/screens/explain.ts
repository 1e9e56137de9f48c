// `get --explain`, the text for a ticket: what was ordered, paid and delivered, who revealed codes, what the service
// responded, and what to do next. Plain sentences without colours or codes. Times are in UTC.
import { type Decimal, sum, zero } from '../../contract/decimal.ts'
import { formatDuration } from '../../contract/duration.ts'
import { findCards, findShortfalls } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasRedeemData, isFinal, pendingState } from '../../contract/states.ts'
import { nameActor } from '../../text/actor-name.ts'
import { maskOrder } from '../masking/mask-tree.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { describeCount, formatMoney } from '../text/amounts.ts'
import { listItem, paragraph } from '../text/fields.ts'
import { describeRevealWay } from '../text/reveals.ts'
import { formatClock, toInstant } from '../text/time.ts'
import { findTotal } from './invoice.ts'
import { hasExpired } from './order.ts'
import { stateMeaning } from './state.ts'
import {
  explainCards,
  findTicketProducts,
  findTicketReveals,
  type Ticket,
  type TicketCall,
} from './ticket/ticket.ts'

const sumCharges = ({ invoice }: Order, sku: string): Decimal =>
  sum(
    invoice.records.filter((record) => record.sku === sku).map((record) => findTotal(record, invoice.wallet)),
  )

const explainProducts = (ticket: Ticket): string[] => {
  const { order } = ticket
  const received = Map.groupBy(findCards(order.redeem), ({ sku }) => sku)
  return findTicketProducts(ticket).map(([sku, { request, shopItem }]) => {
    const ordered = `${sanitize(sku)} (${sanitize(shopItem.name)}), ${request.quantity} ordered at ${formatMoney(request.quote, shopItem.baseCurrency)}`
    const count = received.get(sku)?.length ?? 0
    if (order.state === pendingState) return `${ordered}: not processed, because the order is not confirmed.`
    if (count >= request.quantity) return `${ordered}: delivered, ${describeCount(count, 'card')}.`
    if (count > 0) return `${ordered}: partly delivered, ${count} of ${request.quantity} cards.`
    return isFinal(order.state) ? `${ordered}: not delivered.` : `${ordered}: no card yet.`
  })
}

const explainMoney = (ticket: Ticket, view: View): string[] => {
  const { order } = ticket
  const { invoice, state } = order
  const money = (amount: Decimal): string => formatMoney(amount, invoice.wallet)
  const wallet = `the ${sanitize(invoice.wallet)} wallet`
  const status = `The invoice's status is '${sanitize(invoice.status)}'.`
  if (state === pendingState)
    return [
      `Confirming the order charges ${money(invoice.total)} to ${wallet}. Nothing is charged yet. ${status}`,
      ...(hasExpired(order, view) ? ['It was not confirmed within the usual 10 minutes.'] : []),
    ]
  const lines = findTicketProducts(ticket).map(
    ([sku]) => `${sanitize(sku)}: ${money(sumCharges(order, sku))} of the total.`,
  )
  const missing = isFinal(state) ? findShortfalls(order) : []
  if (missing.length === 0)
    return [`The total is ${money(invoice.total)} from ${wallet}. ${status}`, ...lines]
  const untouched = missing.filter(({ received }) => received === 0)
  const owed = hasRedeemData(state) ? sum(untouched.map(({ sku }) => sumCharges(order, sku))) : invoice.total
  return [
    `The total is ${money(invoice.total)} from ${wallet}. ${status}`,
    ...lines,
    'The order does not show refunds.',
    ...(owed.gt(zero)
      ? [`Completely undelivered products cost ${money(owed)}. Check the wallet for a refund.`]
      : []),
  ]
}

const explainNextSteps = (order: Order, view: View): string[] => {
  const { suggest } = view
  const { uid } = order
  if (order.state === pendingState)
    return hasExpired(order, view)
      ? ['Create a new order. This one has probably expired.']
      : [`Confirm it: ${suggest`confirm ${uid}`}`, 'If you do nothing, it expires and costs nothing.']
  if (!isFinal(order.state))
    return [`Wait for it: ${suggest`watch ${uid}`}`, 'Do not order again: the money may already be spent.']
  const missing = findShortfalls(order)
  const reads = [`Get the cards: ${suggest`redeem ${uid} --reveal`}`]
  if (missing.length === 0) return reads
  const skus = missing.map(({ sku }) => sanitize(sku)).join(', ')
  return [
    ...(missing.length === order.products.size && missing.every(({ received }) => received === 0)
      ? []
      : reads),
    `Ask the service about ${skus}. Give the order id ${sanitize(uid)} and the reference ${sanitize(order.reference)}.`,
    `Order ${skus} again only after you have the refund.`,
  ]
}

const renderList = (title: string, lines: readonly string[], width: number): string =>
  lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => listItem(line, width)).join('')}`

const explainTimes = ({ order, history }: Ticket): string => {
  const { createdDate, modifiedDate } = order
  const utc = { timeZone: 'UTC', now: 0 }
  const changed = toInstant(modifiedDate)
  const took = changed === undefined ? 0 : changed - (toInstant(createdDate) ?? changed)
  const by = history?.placedBy === undefined ? '' : ` by ${sanitize(nameActor(history.placedBy))}`
  const paid =
    history?.confirmedAt === undefined
      ? ''
      : ` Paid ${formatClock(history.confirmedAt, utc)}, when it was confirmed.`
  const last =
    took < 1000 ? '' : ` Last changed ${formatClock(modifiedDate, utc)}, ${formatDuration(took)} later.`
  return `Created ${formatClock(createdDate, utc)}${by}.${paid}${last}`
}

export const renderExplanation = (given: Ticket, view: View): string => {
  const { width } = view
  const ticket = { ...given, order: maskOrder(given.order) }
  const { order } = ticket
  const { uid, reference, state } = order
  return (
    paragraph(
      `Order ${sanitize(uid)}, reference ${sanitize(reference)}: ${sanitize(state)}, ${stateMeaning(state)}.`,
      width,
    ) +
    paragraph(explainTimes(ticket), width) +
    renderList('What happened', explainProducts(ticket), width) +
    renderList('Cards', explainCards(ticket), width) +
    renderList('Money', explainMoney(ticket, view), width) +
    (given.cards.length === 0 ? '' : renderList('Who revealed the codes', explainReveals(ticket), width)) +
    renderList('What the service responded', explainResponses(ticket, view), width) +
    renderList('What to do next', explainNextSteps(order, view), width)
  )
}

const formatUtc = (ms: number): string => formatClock(ms, { timeZone: 'UTC', now: ms })

const explainReveals = (ticket: Ticket): string[] => {
  if (ticket.history === undefined) return ['This journal does not have the order.']
  const reveals = findTicketReveals(ticket)
  if (reveals.length === 0) return ['Nobody, as far as this journal knows.']
  return reveals.map(({ at, by, how, skus }) => {
    const products = skus.map(sanitize).join(', ')
    return `${formatUtc(at)} by ${sanitize(nameActor(by))}: ${products}, ${describeRevealWay(how)}.`
  })
}

const settlements = new Map([
  ['took-effect', 'it took effect'],
  ['no-effect', 'it had no effect'],
  ['expired', 'the order expired'],
])

const explainCall = ({ operation, outcome, settled, status, refusal, startedAt, by }: TicketCall): string => {
  const response = [refusal, status === undefined ? undefined : `status ${status}`]
    .filter((part) => part !== undefined)
    .map(sanitize)
    .join(', ')
  const later =
    settled === undefined ? '' : `; later it was proven that ${settlements.get(settled) ?? settled}`
  const who = by === undefined ? '' : ` by ${sanitize(nameActor(by))}`
  return `${operation} ${formatUtc(startedAt)}${who}: ${sanitize(outcome)}${response === '' ? '' : ` (${response})`}${later}.`
}

/** The state and the invoice are those of the last response. */
const explainResponses = ({ order, history }: Ticket, { now }: Pick<View, 'now'>): string[] => [
  ...(history?.calls ?? []).map(explainCall),
  `get ${formatUtc(now)}: state ${sanitize(order.state)}, invoice ${sanitize(order.invoice.status)}.`,
]
