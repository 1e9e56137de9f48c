// Section 2.4: an order on one screen: state, products, invoice, rates, times.
import { zero } from '../../contract/decimal.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { CreatedOrder, Order, ProductEntry } from '../../contract/schemas.ts'
import { hasRedeemData } from '../../contract/states.ts'
import { maskOrder } from '../masking/mask-tree.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { View } from '../terminal/view.ts'
import { fieldsText, sectionText } from '../text/fields.ts'
import { moneyText, numberText } from '../text/money.ts'
import { type Cell, type Column, tableText } from '../text/table.ts'
import { clockText, expiryText, timeText } from '../text/time.ts'
import { hasExpired } from './expired.ts'
import { invoiceText, paymentText, ratesText } from './invoice.ts'
import { stateMeaning, stateText } from './state.ts'

const columns: readonly Column[] = [
  { title: 'SKU' },
  { title: 'PRODUCT', narrow: 'wrap' },
  { title: 'COUNTRY', narrow: 'leave-out' },
  { title: 'EACH', align: 'right' },
  { title: 'ORDERED', align: 'right' },
]

const dealText = ({ fee, discount }: ProductEntry['customerDeal']): string => {
  const part = (name: string, { amount, adjustmentMode }: typeof fee): string[] => {
    const unit = adjustmentMode === 'percentage' ? '%' : ` ${adjustmentMode}`
    return amount.eq(zero) ? [] : [`${name} ${numberText(amount)}${unit}`]
  }
  return [...part('fee', fee), ...part('discount', discount)].join(', ')
}

const productsText = ({ products, redeem, state }: Order, view: View): string => {
  const received = Map.groupBy(findCards(redeem), ({ sku }) => sku)
  const cardsCell = (sku: string, ordered: number): Cell => {
    const count = received.get(sku)?.length ?? 0
    const paint = count < ordered ? view.theme.bad : view.theme.good
    return { text: `${count} of ${ordered}`, paint }
  }
  const hasCards = hasRedeemData(state)
  const rows = [...products].map(([sku, { request, shopItem, customerDeal }]): Cell[] => {
    const deal = dealText(customerDeal)
    return [
      sku,
      deal === '' ? shopItem.name : `${shopItem.name} (${deal})`,
      shopItem.country,
      moneyText(request.quote, shopItem.baseCurrency),
      String(request.quantity),
      ...(hasCards ? [cardsCell(sku, request.quantity)] : []),
    ]
  })
  const all = hasCards ? [...columns, { title: 'CARDS', align: 'right' } as const] : columns
  return tableText(all, rows, view)
}

/** What is asked about before money is spent: the order without its invoice's lines. */
export const orderSummaryText = (order: Order, view: View): string => summaryText(maskOrder(order), view)

const summaryText = (order: Order, view: View): string => {
  const { theme } = view
  const { uid, reference, state, invoice, createdDate, modifiedDate, products } = order
  const fields = fieldsText(
    [
      ['Order', theme.strong(safeText(uid))],
      ['Reference', safeText(reference)],
      [
        'State',
        `${stateText(state, theme)}, ${stateMeaning(state)}${hasExpired(order, view) ? '; its ten minutes are over' : ''}`,
      ],
      ['Total', `${theme.strong(moneyText(invoice.total, invoice.wallet))}, ${paymentText(invoice)}`],
      ['Created', timeText(createdDate, view)],
      ['Changed', timeText(modifiedDate, view)],
    ],
    view,
  )
  return products.size === 0 ? fields : `${fields}\n${productsText(order, view)}`
}

const section = (title: string, body: string, view: View): string =>
  body === '' ? '' : `\n${sectionText(title, body, view)}`

export const orderText = (order: Order, view: View): string => {
  const shown = maskOrder(order)
  return (
    summaryText(shown, view) +
    section('Invoice', invoiceText(shown.invoice, view), view) +
    section('Exchange rates', ratesText(shown.exchangeRates, view), view)
  )
}

/** Section 2.9: an order that was created just now. The answer does not repeat the reference. */
export const createdText = (created: CreatedOrder, reference: string, view: View): string => {
  const { theme, now } = view
  const { id, invoice, retailInvoice, exchangeRates = [], expiresAt } = created
  const paint = expiresAt > now ? theme.warning : theme.bad
  return (
    fieldsText(
      [
        ['Order', theme.strong(safeText(id))],
        ['Reference', safeText(reference)],
        ['State', `${stateText('created', theme)}, ${stateMeaning('created')}`],
        ['Total', `${theme.strong(moneyText(invoice.total, invoice.wallet))}, ${paymentText(invoice)}`],
        ['Retail', moneyText(retailInvoice.total, retailInvoice.wallet)],
        ['Validity', `${paint(expiryText(expiresAt, now))}, ${clockText(expiresAt, view)}`],
      ],
      view,
    ) +
    section('Wallet invoice', invoiceText(invoice, view), view) +
    section('Retail invoice', invoiceText(retailInvoice, view), view) +
    section('Exchange rates, frozen until it expires', ratesText(exchangeRates, view), view)
  )
}
