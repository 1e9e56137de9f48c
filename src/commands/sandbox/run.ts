// orderctl sandbox: shows the built-in service (products, wallets, newest orders), resets it, or advances its clock.

import { openSandbox } from '../../app/account.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { sandboxOwner } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { durationForm, parseDuration } from '../../contract/duration.ts'
import { readJson } from '../../contract/json.ts'
import { type Decimal, parseDecimal } from '../../contract/money/decimal.ts'
import { Failure } from '../../errors.ts'
import { deleteOrders } from '../../journal/tables/list.ts'
import { stateCell } from '../../ui/screens/state.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import { formatMoney, formatTime } from '../../ui/text/formats.ts'
import { renderJson } from '../../ui/text/json.ts'
import { renderSection, renderTableOf, right } from '../../ui/text/table.ts'
import type { AdvanceOptions, SandboxOptions } from './spec.ts'

/** Calls the control interface of the sandbox. Returns the response. */
const callControl = async (
  context: Context,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  using sandbox = await openSandbox(context)
  const response = await sandbox.transport({
    ...{ method, path: `/_mock${path}`, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  })
  const document = readJson(response.body) as Record<string, unknown>
  if (response.status === 200) return document
  throw new Failure('usage', String(document.message))
}

export const showSandbox = async (context: Context, { json }: SandboxOptions): Promise<void> => {
  const state = await callControl(context, 'GET', '/state?limit=10')
  const { products } = await callControl(context, 'GET', '/catalogue')
  const shown = { ...state, products }
  context.stdout.write(
    json ? renderJson(shown) : renderSandbox(shown as unknown as SandboxState, viewOf(context)),
  )
}

export const resetSandbox = async (context: Context, { json }: SandboxOptions): Promise<void> => {
  await callControl(context, 'POST', '/reset', {})
  const journals = journalsOf(context, { kind: 'sandbox', name: 'sandbox' })
  await journals.attempt('the journal still has the deleted orders', (journal) =>
    deleteOrders(journal, sandboxOwner.account),
  )
  await journals[Symbol.asyncDispose]()
  context.stdout.write(json ? renderJson({ reset: true }) : 'The sandbox was reset.\n')
}

export const advanceSandbox = async (context: Context, options: AdvanceOptions): Promise<void> => {
  const { duration, json } = options
  if (parseDuration(duration) === undefined) {
    throw new Failure('usage', `the duration is ${JSON.stringify(duration)}; allowed: ${durationForm}`, {
      fix: () => 'orderctl sandbox advance 11m',
    })
  }
  const response = await callControl(context, 'POST', '/clock', { advance: duration })
  context.stdout.write(json ? renderJson(response) : `The sandbox's clock is now at ${response.now}.\n`)
}

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
