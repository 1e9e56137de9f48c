// Shows the order in a box until the user places or cancels it.

import type { KnownProduct } from '../../../app/products/product-list.ts'
import { batchNameForm, isBatchName } from '../../../cli/batch-name-rule.ts'
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatDecimal, zero } from '../../../contract/money/decimal.ts'
import { findWebhookHost } from '../../../contract/webhook-host.ts'
import { packRows } from '../../../operations/batch/plan/pack.ts'
import type { Account } from '../../../profiles/account.ts'
import { environmentName } from '../../../profiles/profile.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { type Ask, back } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { visibleWidth, wrapCell } from '../../../ui/terminal/text-width.ts'
import { supportsUnicode, type View, viewOf } from '../../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../../ui/text/amounts.ts'
import { renderTableOf, right } from '../../../ui/text/table.ts'
import type { CreateOptions } from '../spec.ts'
import { needsBatch, type Order } from './order.ts'
import { askAll, findCurrency, type Questions } from './questions.ts'

/** Returns whether to place the order. To change it, the user goes back from its last question. */
export const reviewOrder = async (
  context: Context,
  ask: Ask,
  account: Account,
  options: CreateOptions,
  { order, products, listAll }: Questions,
): Promise<boolean> => {
  const { clock, stderr, environment, platform } = context
  for (;;) {
    const view = viewOf(context, clock.now(), stderr)
    const hasUnicode = supportsUnicode(environment, platform)
    const facts = { account: describeAccount(account), webhookHost: findWebhookHost(options.webhookUrl) }
    stderr.write(renderReview(order, products, { ...view, hasUnicode, ...facts }))
    const isBatch = needsBatch(order.products)
    const next = await ask.key<'place' | 'edit' | 'cancel'>([
      { value: 'place', key: 'Enter', purpose: describePlacing(options, isBatch) },
      { value: 'edit', key: 'e', alias: back, purpose: 'change it' },
      { value: 'cancel', key: 'Esc', purpose: 'cancel' },
    ])
    if (next === undefined || next === 'cancel') return false
    if (next === 'place') {
      if (!isBatch || isBatchName(order.reference)) return true
      stderr.write(`The reference becomes the name of the batch. Allowed: ${batchNameForm}\n`)
    }
    if (!(await askAll({ ask, stderr }, listAll, 'last'))) return false
  }
}

const describeAccount = (account: Account): string => {
  if (account.kind === 'sandbox') return 'sandbox, no real money'
  const who = account.name === environmentName ? 'the environment' : account.name
  const declared = account.account === undefined ? '' : `, account ${account.account}`
  return `${who}, ${new URL(account.baseUrl).host}${declared}`
}

const describePlacing = ({ dryRun, confirm }: CreateOptions, isBatch: boolean): string => {
  if (isBatch)
    return dryRun ? 'plan the batch (sends nothing)' : 'start the batch (asks again before it spends)'
  if (dryRun) return 'check the order (sends nothing)'
  return confirm
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

export type ReviewView = View & {
  readonly hasUnicode: boolean
  /** Which account is charged. */
  readonly account: string
  readonly webhookHost?: string | undefined
}

export const renderReview = (
  { products, wallet = '', reference }: Order,
  known: readonly KnownProduct[],
  { hasUnicode, account, webhookHost, ...view }: ReviewView,
): string => {
  const inner = { ...view, width: view.width - boxSides }
  const table = renderProducts(products, known, inner)
  const isBatch = needsBatch(products)
  const fields = renderWrappedFields(
    [
      ['Wallet', sanitize(wallet)],
      ['Total', formatTotal(products, known, wallet)],
      ['Account', sanitize(account)],
      [isBatch ? 'Batch' : 'Reference', sanitize(reference)],
      ...(isBatch ? [['Orders', formatBatchSize(products)] as const] : []),
      ...(webhookHost === undefined ? [] : [['Webhook', `${sanitize(webhookHost)} gets the codes`] as const]),
    ],
    inner,
  )
  return `\n${renderBox([hasUnicode ? table : table.replaceAll('─', '-'), fields], view, hasUnicode)}\n`
}

const formatBatchSize = (products: readonly ProductInput[]): string => {
  const rows = products.map(({ sku, quote, quantity, type = 'fixed' }) => {
    return { sku, quote: formatDecimal(decimal(quote)), productType: type, quantity: Number(quantity) }
  })
  const { orders } = packRows(rows)
  return `${orders}, bought as a batch: one order cannot hold all cards`
}

const renderProducts = (products: readonly ProductInput[], known: readonly KnownProduct[], view: View) =>
  renderTableOf(
    [
      ['PRODUCT', (product) => describeProduct(product, known), { narrow: 'wrap' }],
      ['QUANTITY', ({ quantity }) => quantity, right],
      ['EACH', ({ sku, quote }) => formatAmount(decimal(quote), findCurrency(sku, known)), right],
      ['SUM', (product) => formatAmount(computeSum(product), findCurrency(product.sku, known)), right],
    ],
    products,
    view,
  )

/** The name has its own line, because right-to-left text would reorder an amount after it. */
const describeProduct = ({ sku, type = 'fixed' }: ProductInput, known: readonly KnownProduct[]): string => {
  const { name, type: usualType = 'fixed' } = known.find((each) => each.sku === sku) ?? {}
  const lines = [sku, name ?? [], type === usualType ? [] : `type ${type}`]
  return lines.flat().map(sanitize).join('\n')
}

const renderWrappedFields = (
  fields: readonly (readonly [name: string, value: string])[],
  { width, theme }: View,
): string => {
  const nameWidth = Math.max(...fields.map(([name]) => name.length)) + 2
  const wrap = (value: string): string =>
    wrapCell(value, Math.max(10, width - nameWidth)).join(`\n${' '.repeat(nameWidth)}`)
  return fields.map(([name, value]) => `${theme.quiet(name.padEnd(nameWidth))}${wrap(value)}\n`).join('')
}

/** Without a currency if it is not known. */
const formatAmount = (amount: Decimal, currency: string | undefined): string =>
  currency === undefined ? formatNumber(amount) : formatMoney(amount, currency)

const computeSum = ({ quote, quantity }: ProductInput): Decimal => decimal(quote).times(decimal(quantity))

/**
 * As far as it is known before the service has priced the products: it adds its fees and discounts, and converts other
 * currencies at a rate that only it knows.
 */
const formatTotal = (products: readonly ProductInput[], known: readonly KnownProduct[], wallet: string) => {
  const sums = new Map<string | undefined, Decimal>()
  for (const product of products) {
    const currency = findCurrency(product.sku, known)
    sums.set(currency, (sums.get(currency) ?? zero).plus(computeSum(product)))
  }
  const amounts = [...sums].map(([currency, amount]) =>
    currency === undefined
      ? `${formatNumber(amount)} in the currency of the product`
      : formatMoney(amount, currency),
  )
  if (sums.size === 1 && sums.has(wallet)) return `${amounts.join()}, before fees and discounts`
  const kind = sums.has(undefined) ? '' : ' face value'
  return `${amounts.join(' and ')}${kind}, charged in ${sanitize(wallet)} at the rate that the service fixes when it creates the order`
}

/** The columns that the sides and their padding take. */
const boxSides = 4

/** Each section is safe text that may be painted. If a line does not fit, the box has no sides. */
const renderBox = (
  sections: readonly string[],
  { width, theme }: Pick<View, 'width' | 'theme'>,
  hasUnicode: boolean,
): string => {
  const [rule = '', side = '', ...ends] = hasUnicode ? '─│┌┐├┤└┘' : '-|++++++'
  const bodies = sections.map((section) => section.replace(/\n$/, '').split('\n'))
  const inner = Math.max(...bodies.flat().map(visibleWidth))
  if (inner > width - boxSides) return `${bodies.map((lines) => lines.join('\n')).join('\n\n')}\n`
  /** 0: above the first section, 2: between two, 4: below the last. */
  const drawRule = (at: 0 | 2 | 4): string =>
    theme.quiet(`${ends[at]}${rule.repeat(inner + boxSides - 2)}${ends[at + 1]}`)
  const drawLine = (line: string): string =>
    `${theme.quiet(side)} ${line}${' '.repeat(inner - visibleWidth(line))} ${theme.quiet(side)}`
  const lines = bodies.flatMap((body, index) => [drawRule(index === 0 ? 0 : 2), ...body.map(drawLine)])
  return `${[...lines, drawRule(4)].join('\n')}\n`
}
