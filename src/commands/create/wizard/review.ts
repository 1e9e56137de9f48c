// Shows the order in a box until the user places or cancels it. The user can change every part of it.
import { type Decimal, decimal, parseDecimal, zero } from '../../../contract/decimal.ts'
import { type Ask, back } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { wrapCell } from '../../../ui/terminal/text-width.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../../ui/text/amounts.ts'
import { boxSides, renderBox } from '../../../ui/text/box.ts'
import { renderTable } from '../../../ui/text/table.ts'
import { batchNameForm, isBatchName } from '../../shared/batch-name-rule.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import type { Product } from './order.ts'
import { countBatchOrders, needsBatch, type Order } from './order.ts'
import type { Questions } from './questions.ts'
import { type Arrival, addBack, type StepResult } from './steps.ts'

export type ReviewTerminal = {
  readonly ask: Ask
  say(text: string): void
  view(): ReviewView
  /** What Enter does, such as 'place the order'. */
  describePlacing(isBatch: boolean): string
}

const arrival: Arrival = { direction: 'on', hasPrevious: true }

/** Returns whether to place the order. */
export const reviewOrder = async (
  order: Order,
  products: readonly KnownProduct[],
  questions: Questions,
  { ask, say, view, describePlacing }: ReviewTerminal,
): Promise<boolean> => {
  for (;;) {
    say(renderReview(order, products, view()))
    const isBatch = needsBatch(order.products)
    const next = await ask.key<'place' | 'edit' | 'cancel'>([
      { value: 'place', key: 'Enter', purpose: describePlacing(isBatch) },
      { value: 'edit', key: 'e', alias: back, purpose: 'change it' },
      { value: 'cancel', key: 'Esc', purpose: 'cancel' },
    ])
    if (next === undefined || next === 'cancel') return false
    if (next === 'edit') {
      if ((await editOrder(order, questions, ask)) === 'left') return false
    } else if (isBatch && !isBatchName(order.reference)) {
      say(`The reference becomes the name of the batch. Allowed: ${batchNameForm}\n`)
      if ((await questions.askReference()) === 'left') return false
    } else return true
  }
}

const editOrder = async (order: Order, questions: Questions, ask: Ask): Promise<StepResult> => {
  const { askProduct, askWallet, askReference, canAddProduct } = questions
  const hasSeveral = order.products.length > 1
  const askWhich = async (message: string): Promise<number | 'back' | 'left'> => {
    const choices = order.products.map(({ sku }, value) => ({ value, name: sanitize(sku) }))
    const at = await ask.choose(message, addBack(choices))
    return at === undefined ? 'left' : at === back ? 'back' : at
  }
  const change = async (): Promise<StepResult> => {
    const at = hasSeveral ? await askWhich('Which product do you want to change?') : 0
    return typeof at === 'number' ? askProduct(at, arrival, true) : at
  }
  const remove = async (): Promise<StepResult> => {
    const at = await askWhich('Which product do you want to remove?')
    if (typeof at !== 'number') return at
    order.products = order.products.toSpliced(at, 1)
    return 'on'
  }
  const chosen = await ask.choose(
    'What do you want to change?',
    addBack<() => Promise<StepResult>>([
      { value: change, name: hasSeveral ? 'change a product' : 'change the product' },
      ...(canAddProduct()
        ? [{ value: () => askProduct(order.products.length, arrival), name: 'add a product' }]
        : []),
      ...(hasSeveral ? [{ value: remove, name: 'remove a product' }] : []),
      { value: () => askWallet(arrival), name: 'change the wallet' },
      { value: askReference, name: 'change the reference' },
    ]),
  )
  return chosen === undefined ? 'left' : chosen === back ? 'back' : chosen()
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

const formatBatchSize = (products: readonly Product[]): string =>
  `${countBatchOrders(products)}, bought as a batch: one order cannot hold all cards`

const renderProducts = (products: readonly Product[], known: readonly KnownProduct[], view: View): string =>
  renderTable(
    [
      { title: 'PRODUCT', narrow: 'wrap' },
      { title: 'QUANTITY', align: 'right' },
      { title: 'EACH', align: 'right' },
      { title: 'SUM', align: 'right' },
    ],
    products.map((product) => {
      const { sku, quote, quantity } = product
      const currency = findCurrency(sku, known)
      return [
        describeProduct(product, known),
        quantity,
        formatAmount(parseDecimal(quote) ?? zero, currency),
        formatAmount(computeSum(product), currency),
      ]
    }),
    view,
  )

/** The name has its own line, because right-to-left text would reorder an amount after it. */
const describeProduct = ({ sku, type = 'fixed' }: Product, known: readonly KnownProduct[]): string => {
  const found = known.find((product) => product.sku === sku)
  const isUnusual = type !== (found?.type ?? 'fixed')
  return [sku, found?.name, isUnusual ? `type ${type}` : undefined]
    .filter((line) => line !== undefined)
    .map(sanitize)
    .join('\n')
}

const renderWrappedFields = (
  fields: readonly (readonly [name: string, value: string])[],
  { width, theme }: View,
): string => {
  const nameWidth = Math.max(...fields.map(([name]) => name.length)) + 2
  return fields
    .flatMap(([name, value]) =>
      wrapCell(value, Math.max(10, width - nameWidth)).map((line, index) =>
        index === 0 ? `${theme.quiet(name.padEnd(nameWidth))}${line}` : `${' '.repeat(nameWidth)}${line}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Without a currency if it is not known. */
const formatAmount = (amount: Decimal, currency: string | undefined): string =>
  currency === undefined ? formatNumber(amount) : formatMoney(amount, currency)

const findCurrency = (sku: string, known: readonly KnownProduct[]): string | undefined =>
  known.find((product) => product.sku === sku)?.price?.currency

const computeSum = ({ quote, quantity }: Product): Decimal =>
  (parseDecimal(quote) ?? zero).times(decimal(quantity))

/**
 * As far as it is known before the service has priced the products: it adds its fees and discounts, and converts other
 * currencies at a rate that only it knows.
 */
const formatTotal = (
  products: readonly Product[],
  known: readonly KnownProduct[],
  wallet: string,
): string => {
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
