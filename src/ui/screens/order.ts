// Renders an order: state, products, invoice, exchange rates, times (order-service.md 2.4).
import { isDeepStrictEqual } from 'node:util'
import { zero } from '../../contract/decimal.ts'
import { limits } from '../../contract/limits.ts'
import { findCards, findShortfalls } from '../../contract/redeem-cards.ts'
import type { CreatedOrder, Order, ProductEntry } from '../../contract/schemas.ts'
import { hasRedeemData, isFinal, pendingState } from '../../contract/states.ts'
import { renderCards, renderShortfalls } from '../cards/cards.ts'
import { maskOrder } from '../masking/mask-tree.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { Here, View } from '../terminal/view.ts'
import { formatMoney, formatNumber } from '../text/amounts.ts'
import { paragraph, renderFields, renderSection } from '../text/fields.ts'
import { type Cell, type Column, renderTable } from '../text/table.ts'
import { formatClock, formatExpiry, formatTime, toInstant } from '../text/time.ts'
import { describePayment, renderInvoice, renderRates } from './invoice.ts'
import { stateMeaning, stateText } from './state.ts'

const columns: readonly Column[] = [
  { title: 'SKU' },
  { title: 'PRODUCT', narrow: 'wrap' },
  { title: 'COUNTRY', narrow: 'leave-out' },
  { title: 'EACH', align: 'right' },
  { title: 'ORDERED', align: 'right' },
]

const formatDeal = ({ fee, discount }: ProductEntry['customerDeal']): string => {
  const formatPart = (name: string, { amount, adjustmentMode }: typeof fee): string[] => {
    const unit = adjustmentMode === 'percentage' ? '%' : ` ${adjustmentMode}`
    return amount.eq(zero) ? [] : [`${name} ${formatNumber(amount)}${unit}`]
  }
  return [...formatPart('fee', fee), ...formatPart('discount', discount)].join(', ')
}

const renderProducts = ({ products, redeem, state }: Order, view: View): string => {
  const received = Map.groupBy(findCards(redeem), ({ sku }) => sku)
  const renderCardCount = (sku: string, ordered: number): Cell => {
    const count = received.get(sku)?.length ?? 0
    const paint = count < ordered ? view.theme.bad : view.theme.good
    return { text: `${count} of ${ordered}`, paint }
  }
  const hasCards = hasRedeemData(state)
  const rows = [...products].map(([sku, { request, shopItem, customerDeal }]): Cell[] => {
    const deal = formatDeal(customerDeal)
    return [
      sku,
      deal === '' ? shopItem.name : `${shopItem.name} (${deal})`,
      shopItem.country,
      formatMoney(request.quote, shopItem.baseCurrency),
      String(request.quantity),
      ...(hasCards ? [renderCardCount(sku, request.quantity)] : []),
    ]
  })
  const all = hasCards ? [...columns, { title: 'CARDS', align: 'right' } as const] : columns
  return renderTable(all, rows, view)
}

/** The order without its invoice, for the prompt before a confirm. */
export const renderOrderSummary = (order: Order, view: View): string => renderSummary(maskOrder(order), view)

const renderSummary = (order: Order, view: View): string => {
  const { theme } = view
  const { uid, reference, state, invoice, createdDate, modifiedDate, products } = order
  const fields = renderFields(
    [
      ['Order', theme.strong(sanitize(uid))],
      ['Reference', sanitize(reference)],
      [
        'State',
        `${stateText(state, theme)}, ${stateMeaning(state)}${hasExpired(order, view) ? ', probably expired' : ''}`,
      ],
      ['Total', `${theme.strong(formatMoney(invoice.total, invoice.wallet))}, ${describePayment(invoice)}`],
      ['Created', formatTime(createdDate, view)],
      ['Changed', formatTime(modifiedDate, view)],
    ],
    view,
  )
  return products.size === 0 ? fields : `${fields}\n${renderProducts(order, view)}`
}

const renderSubsection = (title: string, body: string, view: View): string =>
  body === '' ? '' : `\n${renderSection(title, body, view)}`

export const renderOrder = (order: Order, view: View): string => {
  const shown = maskOrder(order)
  return (
    renderSummary(shown, view) +
    renderSubsection('Invoice', renderInvoice(shown.invoice, view), view) +
    renderSubsection('Exchange rates', renderRates(shown.exchangeRates, view), view)
  )
}

/** A new order (order-service.md 2.9). The response does not contain the reference. */
export const renderCreated = (created: CreatedOrder, reference: string, view: View): string => {
  const { theme, now } = view
  const { id, invoice, retailInvoice, exchangeRates = [], expiresAt } = created
  const isOneInvoice = isDeepStrictEqual(invoice, retailInvoice)
  const paint = expiresAt > now ? theme.warning : theme.bad
  return (
    renderFields(
      [
        ['Order', theme.strong(sanitize(id))],
        ['Reference', sanitize(reference)],
        ['State', `${stateText('created', theme)}, ${stateMeaning('created')}`],
        ['Total', `${theme.strong(formatMoney(invoice.total, invoice.wallet))}, ${describePayment(invoice)}`],
        [
          'Retail',
          isOneInvoice ? undefined : `${formatMoney(retailInvoice.total, retailInvoice.wallet)}, not charged`,
        ],
        ['Validity', `${paint(formatExpiry(expiresAt, now))}, ${formatClock(expiresAt, view)}`],
      ],
      view,
    ) +
    (isOneInvoice
      ? renderSubsection('Invoice', renderInvoice(invoice, view), view)
      : renderSubsection('Wallet invoice (charged by confirm)', renderInvoice(invoice, view), view) +
        renderSubsection('Retail invoice (not charged)', renderInvoice(retailInvoice, view), view)) +
    renderSubsection('Exchange rates (fixed until the order expires)', renderRates(exchangeRates, view), view)
  )
}

/** The response to `get` has no expiry, so the usual ten minutes are assumed. */
export const hasExpired = ({ state, createdDate }: Order, { now }: Here): boolean => {
  const created = toInstant(createdDate)
  return state === pendingState && created !== undefined && now > created + limits.validityMs
}

export type CardsShown = 'none' | 'masked' | 'revealed'

/** `wasShown`: the user has just seen the order, so one line says what became of it. */
export const renderOrderWithCards = (
  order: Order,
  cards: CardsShown,
  view: View,
  wasShown = false,
): string => {
  const { uid, state, invoice, redeem } = order
  const paid = `${formatMoney(invoice.total, invoice.wallet)} paid`
  const text = wasShown
    ? paragraph(`${stateText(state, view.theme)}: ${sanitize(uid)}, ${paid}`, view.width)
    : renderOrder(order, view)
  if (cards === 'none') return text
  const below = renderCards(findCards(redeem), cards === 'revealed', view)
  const missing = isFinal(state) ? renderShortfalls(findShortfalls(order), view.theme) : ''
  return [text, below, missing].filter((part) => part !== '').join('\n')
}
