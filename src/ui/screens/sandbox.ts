// Renders the contents of the sandbox: products, wallets, newest orders.
import { type Decimal, parseDecimal } from '../../contract/decimal.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney } from '../text/amounts.ts'
import { renderSection } from '../text/fields.ts'
import { renderTable } from '../text/table.ts'
import { formatTime } from '../text/time.ts'
import { stateCell } from './state.ts'

type Amount = number | Decimal

export type SandboxState = {
  readonly wallets: readonly { readonly currency: string; readonly balance: Amount }[]
  readonly stock: readonly { readonly sku: string; readonly remaining: number }[]
  readonly products: readonly {
    readonly sku: string
    readonly name: string
    readonly currency: string
    readonly quote?: Amount
    readonly min?: Amount
    readonly max?: Amount
  }[]
  readonly orders: readonly {
    readonly id: string
    readonly reference: string
    readonly state: string
    readonly wallet: string
    readonly total: Amount
    readonly createdAt: string
  }[]
}

const formatAmount = (amount: Amount, currency: string): string => {
  const exact = typeof amount === 'number' ? parseDecimal(String(amount)) : amount
  return exact === undefined ? String(amount) : formatMoney(exact, currency)
}

export const renderSandbox = ({ wallets, stock, products, orders }: SandboxState, view: View): string => {
  const left = new Map(stock.map(({ sku, remaining }) => [sku, String(remaining)]))
  const formatPrice = ({ quote, min, max, currency }: SandboxState['products'][number]): string =>
    quote === undefined
      ? `${formatAmount(min ?? 0, currency)} to ${formatAmount(max ?? 0, currency)}`
      : formatAmount(quote, currency)
  const productTable = renderTable(
    [
      { title: 'SKU' },
      { title: 'PRODUCT', narrow: 'wrap' },
      { title: 'QUOTE', align: 'right' },
      { title: 'LEFT', align: 'right' },
    ],
    products.map((product) => [product.sku, product.name, formatPrice(product), left.get(product.sku) ?? '']),
    view,
  )
  const walletTable = renderTable(
    [{ title: 'WALLET' }, { title: 'BALANCE', align: 'right' }],
    wallets.map(({ currency, balance }) => [currency, formatAmount(balance, currency)]),
    view,
  )
  const orderTable = renderTable(
    [
      { title: 'ORDER' },
      { title: 'REFERENCE', narrow: 'wrap' },
      { title: 'STATE' },
      { title: 'TOTAL', align: 'right' },
      { title: 'CREATED', narrow: 'leave-out' },
    ],
    orders.map(({ id, reference, state, wallet, total, createdAt }) => [
      id,
      reference,
      stateCell(state, view.theme),
      formatAmount(total, wallet),
      formatTime(createdAt, view),
    ]),
    view,
  )
  const newest = orders.length === 0 ? '' : `\n${renderSection('Newest orders', orderTable, view)}`
  return `${renderSection('Products', productTable, view)}\n${renderSection('Wallets', walletTable, view)}${newest}`
}
