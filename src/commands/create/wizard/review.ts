// Shows the order in a box until the user places or cancels it. The user can change every part of it.

import { viewOf } from '../../../app/output/view-of.ts'
import type { KnownProduct } from '../../../app/products/known-products.ts'
import { batchNameForm, isBatchName } from '../../../cli/batch-name-rule.ts'
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatDecimal, zero } from '../../../contract/money/decimal.ts'
import { packRows } from '../../../operations/batch/plan/pack.ts'
import type { Account } from '../../../profiles/account.ts'
import { environmentName } from '../../../profiles/profile.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { back, backChoice, type Choice } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { wrapCell } from '../../../ui/terminal/text-width.ts'
import { supportsUnicode, type View } from '../../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../../ui/text/amounts.ts'
import { boxSides, renderBox } from '../../../ui/text/box.ts'
import { renderTableOf, right } from '../../../ui/text/table.ts'
import type { CreateOptions } from '../spec.ts'
import { needsBatch, type Order } from './order.ts'
import { findCurrency, type Questions } from './questions.ts'

/** Returns whether to place the order. */
export const reviewOrder = async (
  context: Context,
  account: Account,
  options: CreateOptions,
  questions: Questions,
): Promise<boolean> => {
  const { ask, order, products, change, getReference } = questions
  const { clock, stderr, environment, platform } = context
  for (;;) {
    const view = viewOf(context, clock.now(), stderr)
    const hasUnicode = supportsUnicode(environment, platform)
    stderr.write(renderReview(order, products, { ...view, hasUnicode, account: describeAccount(account) }))
    const isBatch = needsBatch(order.products)
    const next = await ask.key<'place' | 'edit' | 'cancel'>([
      { value: 'place', key: 'Enter', purpose: describePlacing(options, isBatch) },
      { value: 'edit', key: 'e', alias: back, purpose: 'change it' },
      { value: 'cancel', key: 'Esc', purpose: 'cancel' },
    ])
    if (next === undefined || next === 'cancel') return false
    if (next === 'edit') {
      if (await editOrder(questions)) return false
    } else if (isBatch && !isBatchName(order.reference)) {
      stderr.write(`The reference becomes the name of the batch. Allowed: ${batchNameForm}\n`)
      if ((await change(() => [getReference()])) === 'left') return false
    } else return true
  }
}

const describeAccount = (account: Account): string => {
  if (account.kind === 'sandbox') return 'sandbox, no real money'
  const who = account.name === environmentName ? 'the environment' : account.name
  const declared = account.account === undefined ? '' : `, account ${account.account}`
  return `${who}, ${new URL(account.baseUrl).host}${declared}`
}

const describePlacing = ({ dryRun, confirm, watch }: CreateOptions, isBatch: boolean): string => {
  if (isBatch)
    return dryRun ? 'plan the batch (sends nothing)' : 'start the batch (asks again before it spends)'
  if (dryRun) return 'check the order (sends nothing)'
  return confirm || watch
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

/** Returns whether the user cancelled. */
const editOrder = async (questions: Questions): Promise<boolean> => {
  const { ask, order, change } = questions
  const { products } = order
  const hasSeveral = products.length > 1
  const chooseProduct = (purpose: string) =>
    ask.choose<number | typeof back>(`Which product do you want to ${purpose}?`, [
      ...products.map(({ sku }, value) => ({ value, name: sanitize(sku) })),
      backChoice,
    ])
  const editProduct = (at: number) => {
    const draft = { ...products[at] }
    return change(() => questions.listProduct(at, draft, at < products.length))
  }
  const changeProduct = async () => {
    const at = hasSeveral ? await chooseProduct('change') : 0
    return typeof at === 'number' ? editProduct(at) : (at ?? 'left')
  }
  const remove = async () => {
    const at = await chooseProduct('remove')
    if (typeof at === 'number') order.products = products.toSpliced(at, 1)
    return at ?? 'left'
  }
  const choices: Choice<(() => Promise<unknown>) | typeof back>[] = [
    { value: changeProduct, name: hasSeveral ? 'change a product' : 'change the product' },
    ...(questions.canAddProduct()
      ? [{ value: () => editProduct(products.length), name: 'add a product' }]
      : []),
    ...(hasSeveral ? [{ value: remove, name: 'remove a product' }] : []),
    { value: () => change(() => [questions.getWallet()]), name: 'change the wallet' },
    { value: () => change(() => [questions.getReference()]), name: 'change the reference' },
    backChoice,
  ]
  const chosen = await ask.choose('What do you want to change?', choices)
  if (chosen === undefined) return true
  return chosen !== back && (await chosen()) === 'left'
}

export type ReviewView = View & {
  readonly hasUnicode: boolean
  /** Which account is charged. */
  readonly account: string
}

export const renderReview = (
  { products, wallet = '', reference }: Order,
  known: readonly KnownProduct[],
  { hasUnicode, account, ...view }: ReviewView,
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
  const amounts = [...sums].map(([currency, amount]) => formatAmount(amount, currency)).join(' and ')
  return sums.size === 1 && sums.has(wallet)
    ? `${amounts}, before fees and discounts`
    : `${amounts} face value, charged in ${sanitize(wallet)} at the rate that the service freezes`
}
