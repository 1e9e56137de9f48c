// The wizard of create: asks for the missing parts, shows the order until the user places or cancels it, and prints the
// command that does the same without questions.

import { describeAccount, formatAccount } from '../../app/account.ts'
import type { KnownProduct } from '../../app/known-products.ts'
import { findKnownProducts } from '../../app/known-products.ts'
import type { Context } from '../../context.ts'
import { findWebhookHost } from '../../contract/limits.ts'
import { type Decimal, decimal, formatDecimal, sum } from '../../contract/money/decimal.ts'
import { generateReference } from '../../contract/order/reference.ts'
import { exitCodes, Failure, interruption } from '../../errors.ts'
import type { NewOrder } from '../../operations/create.ts'
import { findRefused, rewrite } from '../../operations/failures.ts'
import type { Account } from '../../profiles/account.ts'
import { formatProduct, type ProductInput } from '../../text/flags.ts'
import type { Flags } from '../../text/suggest.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { renderCreated } from '../../ui/screens/order.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../ui/text/formats.ts'
import {
  type NamedText,
  paragraph,
  renderFields,
  renderTableOf,
  right,
  wrapFields,
} from '../../ui/text/table.ts'
import { addType, type CompleteOrder, completeDraft, type Draft } from './draft.ts'
import { createQuestions, findCurrency, type Questions, type WizardOrder } from './questions.ts'
import type { CreateOptions } from './spec.ts'

export type Wizard = Awaited<ReturnType<typeof openWizard>>

/** Asks every question. Throws if the user cancels. */
export const openWizard = async (
  context: Context,
  account: Account,
  draft: Draft,
  options: CreateOptions,
) => {
  const { clock, stderr, interrupted, suggest } = context
  refuseInvalid(context, draft)
  const ask = await context.asking()
  let outcome = 'nothing was sent'
  const cancel = (): never => {
    throw interruption(interrupted, `cancelled; ${outcome}`)
  }
  const intro =
    'Press Enter to accept the default. Ctrl-C cancels: nothing is sent before you place the order.'
  stderr.write(`${formatAccount(context, account)}${paragraph(intro, stderr.width)}`)
  const known = await findKnownProducts(context, account)
  const generated = generateReference(clock)
  const questions = createQuestions(ask, cancel, known, draft.parts, generated)
  const { order } = questions
  const review = () => reviewOrder(context, account, options, questions)
  let { confirm, watch } = options
  let isPlaced = false
  /**
   * A second run of a command with the reference is refused once the order was placed. Until then, the command leaves
   * out a generated reference, so that create still looks for an unproven order of the same products.
   */
  const listFlags = (): Flags => {
    const isKept = isPlaced || order.reference !== generated
    const reference = isKept ? order.reference : undefined
    return flagsOf({ ...options, confirm, watch }, order, reference, draft.list)
  }
  const printCommand = (title: string): void => {
    stderr.write(`${title}:\n  ${suggest`create ${listFlags()}`}\n`)
  }
  const completeOrder = (): CompleteOrder => {
    const { products, ...rest } = order
    const typed = products.map((product) => addType(product, draft.list))
    const parts = { ...draft.parts, ...rest, productList: typed }
    // Not checked against the list: if the service refuses a product, the user can change it.
    const complete = completeDraft(context, { ...draft, parts, list: undefined })
    return { ...complete, hasOwnReference: order.reference !== generated }
  }
  /** Lets the user change the order. Rethrows a failure that no change can mend. */
  const changeOrder = async (failure: unknown): Promise<undefined> => {
    // No order exists, and another answer may help.
    const canHelp =
      failure instanceof Failure &&
      (failure.kind === 'refused' || failure.kind === 'unavailable') &&
      failure.details.orderId === undefined
    if (isPlaced || !canHelp || interrupted.aborted) throw failure
    stderr.write(`${renderFailure(failure, context, false)}Nothing was bought. Your answers are kept.\n`)
    outcome = 'nothing was bought'
    const hasTooLittleMoney = findRefused(failure, 'create')?.refusal === 'insufficient-funds'
    if (hasTooLittleMoney) await questions.askOtherWallet()
    await review()
  }

  try {
    await questions.askMissing()
    await review()
  } catch (error) {
    if (order.products.length > 0) printCommand('To continue from here')
    throw error
  }
  return {
    /**
     * Places the order by the latest answers. After a refusal, the user can change it. Prints the command without
     * questions, unless it might repeat an order.
     */
    submit: async (place: (order: CompleteOrder) => Promise<number>): Promise<number> => {
      const title = 'The same command without questions'
      try {
        for (;;) {
          const exit = await place(completeOrder()).catch(changeOrder)
          if (exit === exitCodes.ok.code) printCommand(title)
          if (exit !== undefined) return exit
        }
      } catch (error) {
        const mayRepeat =
          !(error instanceof Failure) || error.kind === 'unknown' || error.details.orderId !== undefined
        if (!mayRepeat) printCommand(title)
        if (!(error instanceof Failure) || error.kind !== 'duplicate') throw error
        // The usual advice suggests flags.
        const advice = 'If you need a different order, run create again and type a different reference.'
        throw rewrite(error, error.message, { ...error.details, advice })
      }
    },
    /** Called when the order exists. After that, a failure does not reopen the questions. */
    notePlaced: (): void => {
      isPlaced = true
    },
    /** Shows the order. `now` is the service's time. */
    askToConfirm: async ({ created, offer: { reference } }: NewOrder, now: number) => {
      const view = viewOf(context, now, stderr)
      stderr.write(`${renderCreated(created, reference, view, findWebhookHost(options.webhookUrl))}\n`)
      const total = formatMoney(created.invoice.total, created.invoice.wallet)
      const answer = await ask.yesOrNo(`Confirm the order and spend ${total}?`)
      if (answer) confirm = watch = true
      return answer === undefined ? 'interrupted' : answer ? 'confirm-and-watch' : 'leave'
    },
  }
}

/** Throws every violation of the given parts. */
const refuseInvalid = (context: Context, draft: Draft): void => {
  const { parts, list, defaultWallet } = draft
  const productList = parts.productList ?? [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const checked = { parts: { ...parts, productList }, list: parts.productList && list }
  const isWalletOpen = (parts.wallet ?? defaultWallet) === undefined
  completeDraft(context, { ...draft, ...checked, defaultWallet: defaultWallet ?? 'USD', isWalletOpen })
}

/** The flags of the same command without questions. They contain no secret. */
const flagsOf = (
  options: CreateOptions,
  { products, wallet }: WizardOrder,
  reference: string | undefined,
  list: Draft['list'],
): Flags => {
  const { timeout, wait, maxTotal } = options
  return {
    product: products.map(({ type, ...product }) => {
      // Leaves out a type that create would choose anyway.
      const isDefault = type === (list?.products.get(product.sku)?.productType ?? 'fixed')
      return formatProduct({ ...product, type: isDefault ? undefined : type })
    }),
    wallet,
    reference,
    // The address may hold a token. An empty value becomes a placeholder.
    'webhook-url': options.webhookUrl === undefined ? undefined : '',
    profile: options.profile,
    timeout: timeout === undefined ? undefined : `${timeout / 1000}s`,
    'max-total': maxTotal && formatDecimal(maxTotal),
    'allow-http': options.allowHttp,
    'allow-duplicate': options.allowDuplicate,
    'dry-run': options.dryRun,
    reveal: options.reveal,
    debug: options.debug,
    confirm: options.confirm,
    watch: options.watch,
    wait: wait === undefined ? undefined : `${wait / 1000}s`,
  }
}

/** Until the user places the order. Throws if the user cancels. */
const reviewOrder = async (
  context: Context,
  account: Account,
  options: CreateOptions,
  { order, products, askNext, askChange }: Questions,
): Promise<void> => {
  const { clock, stderr } = context
  const facts = { account: describeAccount(account), webhookHost: findWebhookHost(options.webhookUrl) }
  for (;;) {
    stderr.write(renderReview(order, products, { ...viewOf(context, clock.now(), stderr), ...facts }))
    if ((await askNext(describePlacing(options))) === 'place') return
    await askChange()
  }
}

const describePlacing = ({ dryRun, confirm }: CreateOptions): string => {
  if (dryRun) return 'check the order (sends nothing)'
  return confirm
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

export const renderReview = (
  { products, wallet = '', reference }: WizardOrder,
  known: readonly KnownProduct[],
  { account, webhookHost, ...view }: View & { account: string; webhookHost: string | undefined },
): string => {
  const fields: NamedText[] = [
    ['Wallet', sanitize(wallet)],
    ['Total', formatTotal(products, known, wallet)],
    ['Account', account],
    ['Reference', sanitize(reference)],
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
