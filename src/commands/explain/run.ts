// The steps of `orderctl explain`, then the text for a ticket: what was ordered, paid and delivered, who revealed codes, what
// the service responded, and what to do next. Plain sentences without colours or codes. Times are in UTC.

import { copyToFirst, requireClipboards, selectByNumber } from '../../app/clipboard.ts'
import { findOrder, requireOrder } from '../../app/find-orders.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { outputFor, warnOfOrder } from '../../app/output/output.ts'
import { describeRead, listNumbered, readNextFacts, recordNumbers } from '../../app/output/show-order.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { type Decimal, sum, zero } from '../../contract/money/decimal.ts'
import type { Order } from '../../contract/schemas.ts'
import { hideHash } from '../../contract/states.ts'
import { formatDuration } from '../../contract/time.ts'
import { findActors } from '../../journal/accounts.ts'
import { type Entry, listCalls } from '../../journal/orders/entries.ts'
import { listOrderReveals } from '../../journal/orders/list-orders.ts'
import { readOrder } from '../../operations/read.ts'
import type { OrderView } from '../../operations/view.ts'
import { findRevealer, nameActor } from '../../text/words.ts'
import { maskOrder } from '../../ui/masking/mask-response.ts'
import { findTotal } from '../../ui/screens/order.ts'
import {
  findShownWord,
  findViewStyle,
  formatSuggestion,
  hasDelivered,
  writeSuggestion,
} from '../../ui/screens/state.ts'
import {
  describeCards,
  describeRevealWay,
  findTicketProducts,
  findTicketReveals,
  type Ticket,
  type TicketCall,
  type TicketHistory,
  ticketFields,
} from '../../ui/screens/ticket.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor, type View, viewOf } from '../../ui/terminal/view.ts'
import {
  describeCount,
  describeSku,
  formatClock,
  formatMoney,
  type Moment,
  toInstant,
  writeRepayAdvice,
} from '../../ui/text/formats.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'
import { listItem, paragraph } from '../../ui/text/table.ts'
import type { ExplainOptions } from './spec.ts'

export const explain = async (context: Context, options: ExplainOptions): Promise<void> => {
  requireOrder(context, 'explain', options.order !== undefined, options)
  // Fails before any call if there is none.
  const clipboards = options.copy ? requireClipboards(context) : []
  await using session = await openSession(context, options)
  const read = await readOrder(session, await findOrder(session, 'explain', options.order))
  const seen = await recordNumbers(session, read, options.card)
  const { data: order, view: orderView, known } = seen
  const ticket: Ticket = {
    order,
    view: orderView,
    cards: selectByNumber(listNumbered(seen), options.card, order.uid),
    isOneCard: options.card !== undefined,
    history: known && (await readHistory(session, order, known.entry)),
  }
  const view = viewOf(context, session.serviceNow())
  if (clipboards.length > 0) {
    // One line a paragraph, because the field of a ticket has its own width.
    const width = Number.POSITIVE_INFINITY
    const plain = { ...view, timeZone: 'UTC', width, theme: themeFor({ colour: false }) }
    const { name } = await copyToFirst(clipboards, renderExplanation(ticket, plain), {
      orderId: order.uid,
      fix: (suggest) => suggest`explain ${order.uid}`,
    })
    writeNote(context, `Copied the text with ${name}. It contains no code.\n`)
  }
  await outputFor(context, options, { session }).print({
    names: listNames(ticketFields),
    data: async () => {
      const cards = ticket.cards.map((each) => each.card)
      const row = await describeRead(session, seen, { isRevealed: false, cards })
      return readFields(ticketFields, { ...row, ticket })
    },
    screen: () => renderExplanation(ticket, view),
    warn: () => warnOfOrder(session, seen),
  })
}

/** Undefined if the journal cannot be read. */
const readHistory = async (
  { journals, owner }: CommandSession,
  order: Order,
  entry: Entry,
): Promise<TicketHistory | undefined> => {
  let history: TicketHistory | undefined
  await journals.attempt('the journal was not read', async (journal) => {
    const [calls, reveals, next] = await Promise.all([
      listCalls(journal.read, entry.number),
      listOrderReveals(journal.read, owner.account, order.uid),
      readNextFacts(journal.read, owner, entry),
    ])
    const findActor = await findActors(journal.read, [entry, ...calls])
    const { profile, placedAt, confirmedAt } = entry
    history = {
      ...{ profile, placedAt, ...next },
      placedBy: findActor(entry),
      confirmedAt,
      calls: calls.map((call) => ({ ...call, by: findActor(call) })),
      reveals: reveals.map(({ at, how, skus, ...reveal }) => ({ at, by: findRevealer(reveal), how, skus })),
    }
  })
  return history
}

const formatUtc = (moment: Moment): string => formatClock(moment, { timeZone: 'UTC', now: 0 })

const sumCharges = ({ invoice }: Order, sku: string): Decimal =>
  sum(
    invoice.records.filter((record) => record.sku === sku).map((record) => findTotal(record, invoice.wallet)),
  )

const explainProducts = (ticket: Ticket): string[] =>
  findTicketProducts(ticket).map(({ sku, request: { quantity, quote }, shopItem, delivered }) => {
    const ordered = `${describeSku(sku, shopItem.name)}, ${quantity} ordered at ${formatMoney(quote, shopItem.baseCurrency)}`
    if (ticket.view.money !== 'spent') return `${ordered}: not processed so far.`
    if (delivered >= quantity) return `${ordered}: delivered, ${describeCount(delivered, 'card')}.`
    if (delivered > 0) return `${ordered}: partly delivered, ${delivered} of ${quantity} cards.`
    return ticket.view.isFinal ? `${ordered}: not delivered.` : `${ordered}: no card yet.`
  })

const explainCards = (ticket: Ticket): string[] =>
  describeCards(ticket).map(({ card, sku, product, has, ending, expires }) => {
    const secrets = has.map((name) =>
      name === 'code' && ending !== null ? `code ending in ${sanitize(ending)}` : name,
    )
    const until = expires === null ? '' : ` Expires ${formatUtc(expires)}.`
    return `Card ${card}, ${describeSku(sku, product)}: ${secrets.join(', ')}.${until}`
  })

/** What is known of the money of an order that is not known to be paid. */
const unpaid: Readonly<Record<Exclude<OrderView['money'], 'spent'>, string>> = {
  unspent: 'Nothing is charged yet.',
  'not-confirmed-so-far': 'The order is not confirmed so far.',
  maybe: 'A confirm was sent, and its outcome is unknown. The order may already be charged.',
}

const explainMoney = (ticket: Ticket): string[] => {
  const { order, view: orderView } = ticket
  const { invoice } = order
  const money = (amount: Decimal): string => formatMoney(amount, invoice.wallet)
  const wallet = `the ${sanitize(invoice.wallet)} wallet`
  const status = `The invoice's status is '${sanitize(invoice.status)}'.`
  if (orderView.money === 'unspent' && orderView.progress === 'expired')
    return [`The order expired, and nothing was charged. ${status}`]
  if (orderView.money !== 'spent')
    return [
      `Confirming the order charges ${money(invoice.total)} to ${wallet}. ${unpaid[orderView.money]} ${status}`,
    ]
  const charges = [
    `The total is ${money(invoice.total)} from ${wallet}. ${status}`,
    ...findTicketProducts(ticket).map(
      ({ sku }) => `${sanitize(sku)}: ${money(sumCharges(order, sku))} of the total.`,
    ),
  ]
  if (orderView.shortfalls.length === 0) return charges
  const owed = findOwed(order, orderView)
  const refund = `Completely undelivered products cost ${money(owed)}. Check the wallet for a refund.`
  return [...charges, 'The order does not show refunds.', ...(owed.gt(zero) ? [refund] : [])]
}

/** What the products cost that were not delivered at all. */
const findOwed = (order: Order, orderView: OrderView): Decimal => {
  const untouched = orderView.shortfalls.filter(({ received }) => received === 0)
  return hasDelivered(orderView)
    ? sum(untouched.map(({ sku }) => sumCharges(order, sku)))
    : order.invoice.total
}

const explainNextSteps = ({ order, view: orderView, history }: Ticket, { suggest }: View): string[] => {
  const { uid, products } = order
  if (!orderView.isFinal) {
    const next = formatSuggestion(writeSuggestion(orderView, { orderId: uid, ...history }, suggest))
    const warning = 'Do not order again: the money may already be spent.'
    return [...(next === '' ? [] : [next]), ...(orderView.money === 'spent' ? [warning] : [])]
  }
  const missing = orderView.shortfalls
  const read = `Get the cards: ${suggest`redeem ${uid} --reveal`}`
  if (missing.length === 0) return [read]
  const skus = missing.map(({ sku }) => sanitize(sku)).join(', ')
  const hasCards = missing.length < products.size || missing.some(({ received }) => received > 0)
  return [
    ...(hasCards ? [read] : []),
    `Ask the service about ${skus}. Give the order id ${sanitize(uid)} and the reference ${sanitize(order.reference)}.`,
    ...writeRepayAdvice('The order', findOwed(order, orderView), order.invoice.wallet),
  ]
}

const explainTimes = ({ order: { createdDate, modifiedDate }, history }: Ticket): string => {
  const { placedBy, confirmedAt } = history ?? {}
  const changed = toInstant(modifiedDate)
  const took = changed === undefined ? 0 : changed - (toInstant(createdDate) ?? changed)
  const by = placedBy === undefined ? '' : ` by ${sanitize(nameActor(placedBy))}`
  const paid = confirmedAt === undefined ? '' : ` Paid ${formatUtc(confirmedAt)}, when it was confirmed.`
  const last = took < 1000 ? '' : ` Last changed ${formatUtc(modifiedDate)}, ${formatDuration(took)} later.`
  return `Created ${formatUtc(createdDate)}${by}.${paid}${last}`
}

const explainReveals = (ticket: Ticket): string[] => {
  if (ticket.cards.length === 0) return []
  if (ticket.history === undefined) return ['This journal does not have the order.']
  const reveals = findTicketReveals(ticket)
  if (reveals.length === 0) return ['No one, according to this journal.']
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
  `get ${formatUtc(now)}: state ${sanitize(hideHash(order.state))}, invoice ${sanitize(order.invoice.status)}.`,
]

export const renderExplanation = (given: Ticket, view: View): string => {
  const { width } = view
  const ticket = { ...given, order: maskOrder(given.order) }
  const { uid, reference, state } = ticket.order
  const word = findShownWord(state, ticket.view)
  const sections: (readonly [title: string, lines: readonly string[]])[] = [
    ['What happened', explainProducts(ticket)],
    ['Cards', explainCards(ticket)],
    ['Money', explainMoney(ticket)],
    ['Who revealed the codes', explainReveals(ticket)],
    ['What the service responded', explainResponses(ticket, view)],
    ['What to do next', explainNextSteps(ticket, view)],
  ]
  const name = `Order ${sanitize(uid)}, reference ${sanitize(reference)}`
  return [
    paragraph(`${name}: ${sanitize(hideHash(word))}, ${findViewStyle(ticket.view).meaning}.`, width),
    paragraph(explainTimes(ticket), width),
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `\n${title}\n${lines.map((line) => listItem(line, width)).join('')}`),
  ].join('')
}
