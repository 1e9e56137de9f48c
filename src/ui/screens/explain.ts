// `get --explain`: what happened to an order SKU by SKU, what it cost, and what to do next, fit for a ticket.
// Plain sentences, a line each, without colour and without a code.
import { type Decimal, sum, zero } from '../../contract/decimal.ts'
import { formatDuration } from '../../contract/duration.ts'
import { findCards, findShortfalls } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasRedeemData, isFinal, pendingState } from '../../contract/states.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { maskOrder } from '../masking/mask-tree.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { Here } from '../terminal/view.ts'
import { moneyText } from '../text/money.ts'
import { clockText, instantOf, timeText } from '../text/time.ts'
import { hasExpired } from './expired.ts'
import { totalIn } from './invoice.ts'
import { stateMeaning } from './state.ts'

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const chargeOf = ({ invoice }: Order, sku: string): Decimal =>
  sum(invoice.records.filter((record) => record.sku === sku).map((record) => totalIn(record, invoice.wallet)))

const productLines = (order: Order): string[] => {
  const received = Map.groupBy(findCards(order.redeem), ({ sku }) => sku)
  return [...order.products].map(([sku, { request, shopItem }]) => {
    const ordered = `${safeText(sku)} (${safeText(shopItem.name)}), ${request.quantity} ordered at ${moneyText(request.quote, shopItem.baseCurrency)}`
    const count = received.get(sku)?.length ?? 0
    if (order.state === pendingState) return `${ordered}: not processed, the order is not confirmed.`
    if (count >= request.quantity) return `${ordered}: delivered, ${plural(count, 'card')}.`
    if (count > 0) return `${ordered}: delivered in part, ${plural(count, 'card')} of ${request.quantity}.`
    return isFinal(order.state) ? `${ordered}: not delivered, no card came.` : `${ordered}: no card yet.`
  })
}

const chargeLines = (order: Order, here: Here): string[] => {
  const { invoice, state } = order
  const money = (amount: Decimal): string => moneyText(amount, invoice.wallet)
  const wallet = `the ${safeText(invoice.wallet)} wallet`
  const status = `The invoice's status is '${safeText(invoice.status)}'.`
  if (state === pendingState)
    return [
      `Nothing is charged before the order is confirmed; it would be ${money(invoice.total)} from ${wallet}. ${status}`,
      ...(hasExpired(order, here) ? ['It was not confirmed within the usual ten minutes.'] : []),
    ]
  const lines = [...order.products.keys()].map(
    (sku) => `${safeText(sku)}: ${money(chargeOf(order, sku))} of the invoice.`,
  )
  const missing = isFinal(state) ? findShortfalls(order) : []
  if (missing.length === 0)
    return [`The invoice is ${money(invoice.total)} from ${wallet}. ${status}`, ...lines]
  const untouched = missing.filter(({ received }) => received === 0)
  const owed = hasRedeemData(state) ? sum(untouched.map(({ sku }) => chargeOf(order, sku))) : invoice.total
  return [
    `The invoice is ${money(invoice.total)} from ${wallet}. ${status}`,
    ...lines,
    'Refunds: an order does not say whether and when undelivered products are refunded.',
    ...(owed.gt(zero)
      ? [`What was not delivered at all makes ${money(owed)}: look for it in the wallet.`]
      : []),
  ]
}

const nextLines = (order: Order, here: Here): string[] => {
  const id = quoteShellWord(safeText(order.uid))
  if (order.state === pendingState)
    return hasExpired(order, here)
      ? ['Create a new order; this one can most likely not be confirmed any more.']
      : [`Confirm it: orderctl confirm ${id}`, 'If you leave it, it expires and spends nothing.']
  if (!isFinal(order.state))
    return [`Wait for it: orderctl watch ${id}`, 'Do not order again: the money may be spent.']
  const missing = findShortfalls(order)
  const reads = [`Get the cards: orderctl redeem ${id} --reveal`]
  if (missing.length === 0) return reads
  const skus = missing.map(({ sku }) => safeText(sku)).join(', ')
  return [
    ...(missing.length === order.products.size && missing.every(({ received }) => received === 0)
      ? []
      : reads),
    `Ask the service about ${skus}; name the order ${safeText(order.uid)} and the reference ${safeText(order.reference)}.`,
    `Order ${skus} again only when the refund is there, or when the money is given up.`,
  ]
}

const list = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `- ${line}\n`).join('')}`

export const explainText = (given: Order, here: Here): string => {
  const order = maskOrder(given)
  const { uid, reference, state, createdDate, modifiedDate } = order
  const changed = instantOf(modifiedDate)
  const took = changed === undefined ? undefined : changed - (instantOf(createdDate) ?? changed)
  return (
    `Order ${safeText(uid)}, reference ${safeText(reference)}: ${safeText(state)}, ${stateMeaning(state)}.\n` +
    `Created ${timeText(createdDate, here)}.\n` +
    (took === undefined || took < 1000
      ? ''
      : `Last changed ${clockText(modifiedDate, here)}, ${formatDuration(took)} later.\n`) +
    list('What happened', productLines(order)) +
    list('Money', chargeLines(order, here)) +
    list('What to do next', nextLines(order, here))
  )
}
