// Renders the contents of the sandbox: products, wallets, newest orders.
import { type Decimal, parseDecimal } from '../../contract/money/decimal.ts'
import { stateCell } from '../../ui/screens/state.ts'
import type { View } from '../../ui/terminal/view.ts'
import { formatMoney, formatTime } from '../../ui/text/formats.ts'
import { renderSection, renderTableOf, right } from '../../ui/text/table.ts'

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
  const productTable = renderTableOf(
    [
      ['SKU', ({ sku }) => sku],
      ['PRODUCT', ({ name }) => name, { narrow: 'wrap' }],
      ['QUOTE', formatPrice, right],
      ['LEFT', ({ sku }) => left.get(sku), right],
    ],
    products,
    view,
  )
  const walletTable = renderTableOf(
    [
      ['WALLET', ({ currency }) => currency],
      ['BALANCE', ({ currency, balance }) => formatAmount(balance, currency), right],
    ],
    wallets,
    view,
  )
  const orderTable = renderTableOf(
    [
      ['ORDER', ({ id }) => id],
      ['REFERENCE', ({ reference }) => reference, { narrow: 'wrap' }],
      ['STATE', ({ state }) => stateCell(state, view.theme)],
      ['TOTAL', ({ wallet, total }) => formatAmount(total, wallet), right],
      ['CREATED', ({ createdAt }) => formatTime(createdAt, view), { narrow: 'leave-out' }],
    ],
    orders,
    view,
  )
  const newest = orders.length === 0 ? '' : `\n${renderSection('Newest orders', orderTable, view)}`
  return `${renderSection('Products', productTable, view)}\n${renderSection('Wallets', walletTable, view)}${newest}`
}
