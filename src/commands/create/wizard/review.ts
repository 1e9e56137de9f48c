// Shows the order until the user places or cancels it.

import { describeAccount } from '../../../app/account.ts'
import type { KnownProduct } from '../../../app/products/product-list.ts'
import { batchNameForm, isBatchName } from '../../../cli/batch-name-rule.ts'
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, sum } from '../../../contract/money/decimal.ts'
import { findWebhookHost } from '../../../contract/webhook-host.ts'
import type { Account } from '../../../profiles/account.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { type View, viewOf } from '../../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../../ui/text/amounts.ts'
import { type Field, renderFields, wrapFields } from '../../../ui/text/fields.ts'
import { renderTableOf, right } from '../../../ui/text/table.ts'
import type { CreateOptions } from '../spec.ts'
import { needsBatch, type Order } from './order.ts'
import { findCurrency, type Questions } from './questions.ts'

/** Until the user places the order. Throws if the user cancels. */
export const reviewOrder = async (
  context: Context,
  account: Account,
  options: CreateOptions,
  { order, products, askNext, askChange, askReference }: Questions,
): Promise<void> => {
  const { clock, stderr } = context
  const facts = { account: describeAccount(account), webhookHost: findWebhookHost(options.webhookUrl) }
  for (;;) {
    stderr.write(renderReview(order, products, { ...viewOf(context, clock.now(), stderr), ...facts }))
    const isBatch = needsBatch(order.products)
    if ((await askNext(describePlacing(options, isBatch))) === 'change') await askChange()
    else if (!isBatch || isBatchName(order.reference)) return
    else {
      stderr.write(`The reference becomes the name of the batch. Allowed: ${batchNameForm}\n`)
      await askReference()
    }
  }
}

const describePlacing = ({ dryRun, confirm }: CreateOptions, isBatch: boolean): string => {
  if (dryRun) return isBatch ? 'plan the batch (sends nothing)' : 'check the order (sends nothing)'
  if (isBatch) return 'start the batch (prompts again before it spends)'
  return confirm
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

export const renderReview = (
  { products, wallet = '', reference }: Order,
  known: readonly KnownProduct[],
  { account, webhookHost, ...view }: View & { account: string; webhookHost: string | undefined },
): string => {
  const isBatch = needsBatch(products)
  const fields: Field[] = [
    ['Wallet', sanitize(wallet)],
    ['Total', formatTotal(products, known, wallet)],
    ['Account', account],
    [isBatch ? 'Batch' : 'Reference', sanitize(reference)],
    ['Orders', isBatch ? 'several, as a batch: one order cannot hold all cards' : undefined],
    ['Webhook', webhookHost && `${sanitize(webhookHost)} gets the codes`],
  ]
  const table = renderProducts(products, known, view)
  return `\n${table}\n${renderFields(wrapFields(fields, view.width), view)}\n`
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

/** Without a currency if it is not known. */
const formatAmount = (amount: Decimal, currency: string | undefined): string =>
  currency === undefined ? formatNumber(amount) : formatMoney(amount, currency)

const computeSum = ({ quote, quantity }: ProductInput): Decimal => decimal(quote).times(decimal(quantity))

/**
 * As far as it is known before the service has priced the products: it adds its fees and discounts, and converts other
 * currencies at a rate that only it knows.
 */
const formatTotal = (products: readonly ProductInput[], known: readonly KnownProduct[], wallet: string) => {
  const sums = Map.groupBy(products, ({ sku }) => findCurrency(sku, known))
  const amounts = [...sums].map(([currency, each]) => {
    const total = formatAmount(sum(each.map(computeSum)), currency)
    return currency === undefined ? `${total} in the currency of the product` : total
  })
  if (sums.size === 1 && sums.has(wallet)) return `${amounts.join()}, before fees and discounts`
  const kind = sums.has(undefined) ? '' : ' face value'
  return `${amounts.join(' and ')}${kind}, charged in ${sanitize(wallet)} at the rate that the service fixes when it creates the order`
}
