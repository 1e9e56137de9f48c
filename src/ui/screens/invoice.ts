// Renders an invoice line by line, and its exchange rates (order-service.md 2.3, 2.6, 2.7).
import { type Decimal, sum, zero } from '../../contract/money/decimal.ts'
import type { ExchangeRate, Invoice, InvoiceItem, InvoiceRecord } from '../../contract/schemas.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney, formatNumber } from '../text/amounts.ts'
import { paragraph } from '../text/fields.ts'
import { type Cell, type Column, renderTable, renderTableOf } from '../text/table.ts'
import { formatTime } from '../text/time.ts'

const columns: readonly Column[] = [
  { title: 'SKU' },
  { title: 'ITEM' },
  { title: 'DESCRIPTION', narrow: 'wrap' },
  { title: 'AT', narrow: 'leave-out' },
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
  const table = renderTable(columns, [...rows, [{ text: 'total', paint: strong }, '', '', '', amount]], view)
  const added = sum(records.map((record) => findTotal(record, wallet)))
  if (records.length === 0 || added.eq(total)) return table
  const problem = `The lines add up to ${formatMoney(added, wallet)}, which differs from the total.`
  return table + warning(paragraph(problem, view.width))
}

/** 'paid, from the USD wallet (balance)' */
export const describePayment = ({ wallet, status, paymentMethod }: Invoice): string =>
  `${sanitize(status)}, from the ${sanitize(wallet)} wallet (${sanitize(paymentMethod)})`

const formatRate = ({ baseCurrency, targetCurrency, rate }: ExchangeRate): string =>
  `1 ${sanitize(baseCurrency)} = ${formatNumber(rate)} ${sanitize(targetCurrency)}`

export const renderRates = (rates: readonly ExchangeRate[], view: View): string => {
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
