// orderctl sandbox: shows the built-in service (products, wallets, newest orders), resets it, or advances its clock.

import { journalsOf, sandboxOwner } from '../../app/journals.ts'
import { openSandbox } from '../../app/open-session.ts'
import type { Context } from '../../context.ts'
import { readJson } from '../../contract/json.ts'
import { parseDecimal } from '../../contract/money/decimal.ts'
import { durationForm, parseDuration } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import { deleteOrders } from '../../journal/tables/list.ts'
import { stateCell } from '../../ui/screens/state.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import { formatClock, formatMoney, formatTime } from '../../ui/text/formats.ts'
import {
  column,
  fieldsOf,
  listOf,
  pick,
  type ResultFields,
  readFields,
  renderJson,
  renderResults,
} from '../../ui/text/result-fields.ts'
import { renderSection, right } from '../../ui/text/table.ts'
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
  const shown = { ...state, products } as unknown as SandboxState
  context.stdout.write(
    json ? renderJson(readFields(sandboxFields, shown)) : renderSandbox(shown, viewOf(context)),
  )
}

export const resetSandbox = async (context: Context, { json }: SandboxOptions): Promise<void> => {
  await callControl(context, 'POST', '/reset', {})
  const journals = journalsOf(context, { kind: 'sandbox', name: 'sandbox' })
  await journals.attempt('the journal still has the deleted orders', (journal) =>
    deleteOrders(journal, sandboxOwner.account),
  )
  await journals[Symbol.asyncDispose]()
  context.stdout.write(
    json ? renderJson(readFields(resetFields, { reset: true })) : 'The sandbox was reset.\n',
  )
}

export const advanceSandbox = async (context: Context, options: AdvanceOptions): Promise<void> => {
  const { duration, json } = options
  if (parseDuration(duration) === undefined) {
    throw new Failure('usage', `the duration is ${JSON.stringify(duration)}; allowed: ${durationForm}`, {
      fix: () => 'orderctl sandbox advance 11m',
    })
  }
  const response = await callControl(context, 'POST', '/clock', { advance: duration })
  const clock = readFields(clockFields, response)
  const now = formatClock(String(response.now), viewOf(context))
  context.stdout.write(json ? renderJson(clock) : `The sandbox's clock is now at ${now}.\n`)
}

/** An object of the control interface. */
type Item = Readonly<Record<string, unknown>>

type SandboxState = Item & {
  readonly [List in 'wallets' | 'stock' | 'products' | 'orders']: readonly Item[]
}

const formatAmount = (amount: unknown, currency: unknown): string => {
  const exact = parseDecimal(String(amount))
  return exact === undefined ? String(amount) : formatMoney(exact, String(currency))
}

const formatPrice = ({ quote, min = 0, max = 0, currency }: Item): string =>
  quote === undefined
    ? `${formatAmount(min, currency)} to ${formatAmount(max, currency)}`
    : formatAmount(quote, currency)

const itself = (item: Item): Item => item

const productFields: ResultFields<Item> = [
  ['sku', 'text', 'the SKU', ({ sku }) => sku, { title: 'SKU' }],
  ['name', 'text', "the product's name", ({ name }) => name, { title: 'PRODUCT', narrow: 'wrap' }],
  ['productType', 'text', 'fixed or range', ({ productType }) => productType],
  column('quote', 'amount', 'the value of one card', ({ quote }) => quote, {
    ...{ title: 'QUOTE', cell: formatPrice, ...right },
  }),
  ...pick(itself, {
    min: ['amount', 'the lowest quote of a range'],
    max: ['amount', 'the highest quote of a range'],
    currency: ['text', 'of the quotes'],
  }),
  ['remainingCount', 'count', 'null if unlimited', ({ left }) => left, { title: 'LEFT', ...right }],
]

const walletFields: ResultFields<Item> = [
  ['currency', 'text', 'of the wallet', ({ currency }) => currency, { title: 'WALLET' }],
  ['opening', 'amount', 'its balance after a reset', ({ opening }) => opening],
  column('balance', 'amount', 'its balance', ({ balance }) => balance, {
    ...{ title: 'BALANCE', cell: (wallet) => formatAmount(wallet.balance, wallet.currency), ...right },
  }),
]

const lineFields: ResultFields<Item> = pick(itself, {
  sku: ['text', 'the SKU'],
  quote: ['amount', 'the value of one card'],
  quantity: ['count', 'the number of cards'],
})

const orderFields: ResultFields<Item> = [
  ['id', 'text', "the order's id", ({ id }) => id, { title: 'ORDER' }],
  ['reference', 'text', 'its reference', (order) => order.reference, { title: 'REFERENCE', narrow: 'wrap' }],
  column('state', 'text', "the service's word", ({ state }) => state, {
    ...{ title: 'STATE', cell: ({ state }, { theme }) => stateCell(String(state), theme) },
  }),
  ['products', listOf(lineFields), 'what was ordered', ({ products }) => products],
  column('total', 'amount', 'what it costs', ({ total }) => total, {
    ...{ title: 'TOTAL', cell: ({ total, wallet }) => formatAmount(total, wallet), ...right },
  }),
  ['currency', 'text', 'of the total', ({ wallet }) => wallet],
  ['wallet', 'text', 'the wallet that pays', ({ wallet }) => wallet],
  column('placedAt', 'time', 'when it was created', ({ createdAt }) => createdAt, {
    ...{ title: 'CREATED', narrow: 'leave-out' },
    cell: ({ createdAt }, view) => formatTime(String(createdAt), view),
  }),
  ...pick(itself, {
    expiresAt: ['time', 'until when it can be confirmed'],
    confirmedAt: ['time', 'when it was confirmed'],
  }),
]

export const clockFields: ResultFields<Item> = [
  ['clockAt', 'time', "the sandbox's time", ({ now }) => now],
  ['clockOffsetMs', 'count', 'how far it was advanced', ({ clockOffsetMs }) => clockOffsetMs],
]

export const resetFields = fieldsOf({ reset: ['flag', 'it was reset'] })

const listProducts = ({ products, stock }: SandboxState): Item[] =>
  products.map((product) => ({ ...product, left: stock.find(({ sku }) => sku === product.sku)?.remaining }))

export const sandboxFields: ResultFields<SandboxState> = [
  ...clockFields,
  ['seed', 'text', 'what its codes are made from', ({ seed }) => seed],
  ['wallets', listOf(walletFields), 'its wallets', ({ wallets }) => wallets],
  ['products', listOf(productFields), 'what it sells', listProducts],
  ['orders', listOf(orderFields), 'its newest 10 orders', ({ orders }) => orders],
]

export const renderSandbox = (state: SandboxState, view: View): string => {
  const { wallets, orders } = state
  const sections = [
    renderSection('Products', renderResults(productFields, listProducts(state), view), view),
    renderSection('Wallets', renderResults(walletFields, wallets, view), view),
    ...(orders.length === 0
      ? []
      : [renderSection('Newest orders', renderResults(orderFields, orders, view), view)]),
  ]
  return sections.join('\n')
}
