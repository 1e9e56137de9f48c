// Renders an order: state, products, invoice, exchange rates, times (order-service.md 2.3 to 2.7).
import { isDeepStrictEqual } from 'node:util'
import { type Decimal, sum, zero } from '../../contract/money/decimal.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import type {
  CreatedOrder,
  ExchangeRate,
  Invoice,
  InvoiceItem,
  InvoiceRecord,
  Order,
  ProductEntry,
} from '../../contract/schemas.ts'
import type { OrderView } from '../../operations/view.ts'
import type { OwnedCard } from '../cards/card-fields.ts'
import { renderCards, renderShortfalls } from '../cards/cards.ts'
import { maskOrder, maskResponse } from '../masking/mask-response.ts'
import { sanitize } from '../terminal/text.ts'
import type { Theme, View } from '../terminal/view.ts'
import { formatClock, formatExpiry, formatMoney, formatNumber, formatTime } from '../text/formats.ts'
import {
  type Cell,
  type ColumnLayout,
  paragraph,
  renderFields,
  renderNextSection,
  renderTable,
  renderTableOf,
  right,
} from '../text/table.ts'
import { findShownWord, findViewStyle, hasDelivered, newOrderStyle, stateText } from './state.ts'

/** 'Game Card US (fee 2%, discount 1 USD)' */
const describeProduct = ({ shopItem, customerDeal: { fee, discount } }: ProductEntry): string => {
  const parts = Object.entries({ fee, discount })
    .filter(([, { amount }]) => !amount.eq(zero))
    .map(([name, { amount, adjustmentMode }]) => {
      const unit = adjustmentMode === 'percentage' ? '%' : ` ${adjustmentMode}`
      return `${name} ${formatNumber(amount)}${unit}`
    })
  return parts.length === 0 ? shopItem.name : `${shopItem.name} (${parts.join(', ')})`
}

const renderProducts = ({ products, redeem }: Order, orderView: OrderView, view: View): string => {
  const received = Map.groupBy(findCards(redeem), ({ sku }) => sku)
  const formatReceived = ([sku, { request }]: readonly [string, ProductEntry]) => {
    const { quantity } = request
    const count = received.get(sku)?.length ?? 0
    const paint = count < quantity ? view.theme.bad : view.theme.good
    return { text: `${count} of ${quantity}`, paint }
  }
  return renderTableOf(
    [
      ['SKU', ([sku]) => sku],
      ['PRODUCT', ([, product]) => describeProduct(product), { narrow: 'wrap' }],
      ['COUNTRY', ([, { shopItem }]) => shopItem.country, { narrow: 'leave-out' }],
      ['EACH', ([, { request, shopItem }]) => formatMoney(request.quote, shopItem.baseCurrency), right],
      ['ORDERED', ([, { request }]) => String(request.quantity), right],
      ['CARDS', formatReceived, { ...right, isShown: hasDelivered(orderView) }],
    ],
    [...products],
    view,
  )
}

/** '25.00 USD, paid, from the USD wallet' */
const describeTotal = ({ total, wallet, status }: Invoice, { strong }: Theme): string =>
  `${strong(formatMoney(total, wallet))}, ${sanitize(status)}, from the ${sanitize(wallet)} wallet`

const describeWebhook = (host: string | undefined): string | undefined =>
  host && `${sanitize(host)} gets the codes`

/** The order without its invoice, for the prompt before a confirm. */
export const renderOrderSummary = (order: Order, orderView: OrderView, view: View): string =>
  renderSummary(maskOrder(order), orderView, view)

const renderSummary = (order: Order, orderView: OrderView, view: View, webhookHost?: string): string => {
  const { theme } = view
  const { uid, reference, state, invoice, createdDate, modifiedDate, products } = order
  const style = findViewStyle(orderView)
  const fields = renderFields(
    [
      ['Order', theme.strong(sanitize(uid))],
      ['Reference', sanitize(reference)],
      ['State', `${stateText(findShownWord(state, orderView), theme, style)}, ${style.meaning}`],
      ['Total', describeTotal(invoice, theme)],
      ['Created', formatTime(createdDate, view)],
      ['Changed', formatTime(modifiedDate, view)],
      ['Webhook', describeWebhook(webhookHost)],
    ],
    view,
  )
  return products.size === 0 ? fields : `${fields}\n${renderProducts(order, orderView, view)}`
}

/** A new order (order-service.md 2.9). The response does not contain the reference. */
export const renderCreated = (
  created: CreatedOrder,
  reference: string,
  view: View,
  webhookHost?: string,
): string => {
  const { theme, now } = view
  const { id, invoice, retailInvoice, exchangeRates = [], expiresAt } = maskResponse(created)
  const isOneInvoice = isDeepStrictEqual(invoice, retailInvoice)
  const retail = `${formatMoney(retailInvoice.total, retailInvoice.wallet)}, not charged`
  const paint = expiresAt > now ? theme.warning : theme.bad
  return (
    renderFields(
      [
        ['Order', theme.strong(sanitize(id))],
        ['Reference', sanitize(reference)],
        ['State', `${stateText('created', theme, newOrderStyle)}, ${newOrderStyle.meaning}`],
        ['Total', describeTotal(invoice, theme)],
        ['Retail', isOneInvoice ? undefined : retail],
        ['Validity', `${paint(formatExpiry(expiresAt, now))}, ${formatClock(expiresAt, view)}`],
        ['Webhook', describeWebhook(webhookHost)],
      ],
      view,
    ) +
    (isOneInvoice
      ? renderNextSection('Invoice', renderInvoice(invoice, view), view)
      : renderNextSection('Wallet invoice (charged by confirm)', renderInvoice(invoice, view), view) +
        renderNextSection('Retail invoice (not charged)', renderInvoice(retailInvoice, view), view)) +
    renderNextSection(
      'Exchange rates (fixed until the order expires)',
      renderRates(exchangeRates, view),
      view,
    )
  )
}

const invoiceColumns: readonly ColumnLayout[] = [
  { title: 'SKU' },
  { title: 'ITEM' },
  { title: 'DESCRIPTION', narrow: 'wrap' },
  { title: 'PRICE', narrow: 'leave-out' },
  { title: 'AMOUNT', align: 'right' },
]

const itemNames = new Map([
  ['main-product', 'product'],
  ['exchange-base-currency', 'exchange'],
  ['exchange-target-currency', 'exchange'],
])

const formatPrice = ({ effect, metaData }: InvoiceItem): string => {
  const { quantity, quote, rate } = metaData ?? {}
  if (rate !== undefined) return formatNumber(rate)
  const each = quote === undefined ? '' : formatMoney(quote, effect.currency)
  return quantity === undefined ? each : each === '' ? `× ${quantity}` : `${quantity} × ${each}`
}

/** `hasOwn`, because a service may name a currency `constructor`. */
export const findTotal = ({ total }: Pick<InvoiceRecord, 'total'>, wallet: string): Decimal =>
  (Object.hasOwn(total, wallet) ? total[wallet] : undefined) ?? zero

/** Leaves out zero totals: a currency that was exchanged completely. If all are zero, shows the wallet's currency. */
const listTotals = ({ total }: InvoiceRecord, wallet: string): [string, Decimal][] => {
  const amounts = Object.entries(total)
  const nonZero = amounts.filter(([, amount]) => !amount.eq(zero))
  return nonZero.length > 0 || amounts.length === 0 ? nonZero : [[wallet, zero]]
}

const layOutRecord = (record: InvoiceRecord, wallet: string, { theme }: View): Cell[][] => {
  const { sku, items } = record
  const lines = items.map((item, index): Cell[] => {
    const amount = formatMoney(item.effect.amount, item.effect.currency)
    const name = itemNames.get(item.type) ?? item.type
    return [index === 0 ? sku : '', name, item.description, formatPrice(item), amount]
  })
  if (items.length === 1) return lines
  const first = [items.length === 0 ? sku : '', { text: 'subtotal', paint: theme.quiet }, '', '']
  const totals = listTotals(record, wallet)
  return [...lines, ...totals.map(([currency, amount]) => [...first, formatMoney(amount, currency)])]
}

export const renderInvoice = (invoice: Invoice, view: View): string => {
  const { records, total, wallet } = invoice
  const { strong, warning } = view.theme
  const rows = records.flatMap((record) => layOutRecord(record, wallet, view))
  const amount = { text: formatMoney(total, wallet), paint: strong }
  const table = renderTable(
    invoiceColumns,
    [...rows, [{ text: 'total', paint: strong }, '', '', '', amount]],
    view,
  )
  const added = sum(records.map((record) => findTotal(record, wallet)))
  if (records.length === 0 || added.eq(total)) return table
  const problem = `The lines add up to ${formatMoney(added, wallet)}, which differs from the total.`
  return table + warning(paragraph(problem, view.width))
}

const formatRate = ({ baseCurrency, targetCurrency, rate }: ExchangeRate): string =>
  `1 ${sanitize(baseCurrency)} = ${formatNumber(rate)} ${sanitize(targetCurrency)}`

const renderRates = (rates: readonly ExchangeRate[], view: View): string => {
  if (rates.length === 0) return ''
  return renderTableOf(
    [
      ['RATE', formatRate],
      ['AS OF', ({ modifiedDate }) => formatTime(modifiedDate, view), { narrow: 'wrap' }],
    ],
    rates,
    view,
  )
}

const renderOrder = (order: Order, orderView: OrderView, view: View, webhookHost?: string): string =>
  renderSummary(order, orderView, view, webhookHost) +
  renderNextSection('Invoice', renderInvoice(order.invoice, view), view) +
  renderNextSection('Exchange rates', renderRates(order.exchangeRates, view), view)

export type OrderShown = {
  readonly cards: 'none' | 'masked' | 'revealed'
  /** Default: the cards of the response. */
  readonly listed?: readonly OwnedCard[]
  /** The user has just seen the order, so one line says what became of it. */
  readonly wasShown?: boolean
  readonly webhookHost?: string | undefined
}

export const renderOrderWithCards = (
  order: Order,
  orderView: OrderView,
  view: View,
  { cards, listed = findCards(order.redeem), wasShown = false, webhookHost }: OrderShown,
): string => {
  const { uid, state, invoice } = order
  const style = findViewStyle(orderView)
  const paid =
    orderView.money === 'spent' ? `${formatMoney(invoice.total, invoice.wallet)} paid` : style.meaning
  const word = stateText(findShownWord(state, orderView), view.theme, style)
  const text = wasShown
    ? paragraph(`${word}: ${sanitize(uid)}, ${paid}`, view.width)
    : renderOrder(maskOrder(order), orderView, view, webhookHost)
  if (cards === 'none') return text
  const below = renderCards(listed, cards === 'revealed', view)
  const missing = renderShortfalls(orderView.shortfalls, view.theme)
  return [text, below, missing].filter((part) => part !== '').join('\n')
}
