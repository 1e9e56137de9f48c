// The wizard of create: asks for missing parts, and prints the command that does the same without questions.

import { formatAccount } from '../../../app/account.ts'
import { findKnownProducts } from '../../../app/products/known-products.ts'
import type { Context } from '../../../context.ts'
import { formatDecimal } from '../../../contract/money/decimal.ts'
import { generateReference } from '../../../contract/order/reference.ts'
import { findWebhookHost } from '../../../contract/webhook-host.ts'
import { Failure, interruption } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import type { Placed } from '../../../operations/create/place.ts'
import { findRefused, rewrite } from '../../../operations/failures/order-failure.ts'
import type { Account } from '../../../profiles/account.ts'
import { formatProduct, type ProductInput } from '../../../text/product-flag.ts'
import type { Flags, Suggest } from '../../../text/suggest.ts'
import { renderFailure } from '../../../ui/screens/failure.ts'
import { renderCreated } from '../../../ui/screens/order.ts'
import { viewOf } from '../../../ui/terminal/view.ts'
import { formatMoney } from '../../../ui/text/amounts.ts'
import { paragraph } from '../../../ui/text/fields.ts'
import { formatDeadline } from '../../../ui/text/time.ts'
import { addType, type CompleteOrder, completeDraft, type Draft } from '../draft.ts'
import type { CreateOptions } from '../spec.ts'
import { checkQuantity, needsBatch, type Order } from './order.ts'
import { askAll, createQuestions } from './questions.ts'
import { reviewOrder } from './review.ts'

export type Wizard = {
  /**
   * Places the order by the latest answers. After a refusal, shows it again, so that the user can change it. If the order
   * becomes too big, runs the batch that buys it. Also prints the command without questions, unless it might repeat an
   * order.
   */
  submit(
    place: (order: CompleteOrder) => Promise<number>,
    runWords: (words: readonly string[]) => Promise<number>,
  ): Promise<number>
  /** Called when the order exists. After that, a failure does not reopen the questions. */
  notePlaced(): void
  /** Shows the order. `now` is the service's time. */
  askToConfirm(placed: Placed, now: number): Promise<'watch' | 'leave' | 'interrupted'>
}

/** Asks every question. Throws if the user cancels. */
export const openWizard = async (
  context: Context,
  account: Account,
  draft: Draft,
  options: CreateOptions,
): Promise<Wizard> => {
  const { clock, stderr, interrupted, suggest } = context
  const batchObstacle = findBatchObstacle(options)
  refuseInvalid(context, draft, batchObstacle)
  const ask = await context.asking()
  const intro = `Press Enter to accept the value in brackets, ${ask.backKeys} to go back, Ctrl-C to cancel without sending anything.`
  stderr.write(`${formatAccount(context, account)}${paragraph(intro, stderr.width)}`)
  const known = await findKnownProducts(context, account)
  const generated = generateReference(clock)
  const questions = createQuestions(known, draft.parts, generated, batchObstacle)
  const { order, wallets, listMissing, listToWallet } = questions
  const review = () => reviewOrder(context, ask, account, options, questions)
  let { confirm, watch } = options
  let isPlaced = false
  /**
   * A second run of a command with the reference is refused once the order was placed. Until then, the command leaves
   * out a generated reference, so that create still looks for an unproven order of the same products.
   */
  const writeCommand = () => {
    const isKept = isPlaced || order.reference !== generated || needsBatch(order.products)
    const reference = isKept ? order.reference : undefined
    return writeEquivalent(suggest, { ...options, confirm, watch }, { ...order, reference }, draft.list)
  }
  const printCommand = (title: string): void => stderr.write(`${title}:\n  ${writeCommand().text}\n`)
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
    if (isPlaced || !canHelp(failure) || interrupted.aborted) throw failure
    stderr.write(`${renderFailure(failure, context, false)}Nothing was bought. Your answers are kept.\n`)
    const hasTooLittleMoney = findRefused(failure, 'create')?.refusal === 'insufficient-funds'
    if (hasTooLittleMoney && order.wallet !== undefined) wallets.failed.add(order.wallet)
    const isLeft = hasTooLittleMoney && !(await askAll({ ask, stderr }, listToWallet, 'last'))
    if (isLeft || !(await review())) throw interruption(interrupted, 'cancelled; nothing was bought')
  }

  if (!(await askAll({ ask, stderr }, listMissing, 'first')) || !(await review())) {
    if (order.products.length > 0) printCommand('To continue from here')
    throw interruption(interrupted, 'cancelled; nothing was sent')
  }
  return {
    submit: async (place, runWords) => {
      const title = 'The same command without questions'
      try {
        while (!needsBatch(order.products)) {
          const exit = await place(completeOrder()).catch(changeOrder)
          if (exit === exitCodes.ok.code) printCommand(title)
          if (exit !== undefined) return exit
        }
      } catch (error) {
        const mayRepeat =
          !(error instanceof Failure) || error.kind === 'unknown' || error.details.orderId !== undefined
        if (!mayRepeat) printCommand(title)
        throw error instanceof Failure && error.kind === 'duplicate' ? adviseReference(error) : error
      }
      printCommand('This runs')
      return runWords(writeCommand().words)
    },
    notePlaced: () => {
      isPlaced = true
    },
    askToConfirm: async ({ created, offer: { reference, expiresAt } }, now) => {
      const view = viewOf(context, now, stderr)
      const webhookHost = findWebhookHost(options.webhookUrl)
      stderr.write(`${renderCreated(created, reference, view, webhookHost)}\n`)
      const until = formatDeadline(expiresAt, view)
      if (until !== '') {
        const text = `You can confirm it ${until}. After that, it expires and costs nothing.`
        stderr.write(paragraph(text, stderr.width))
      }
      const total = formatMoney(created.invoice.total, created.invoice.wallet)
      const answer = await ask.yesOrNo(`Confirm the order and spend ${total}?`)
      if (answer) confirm = watch = true
      return answer === undefined ? 'interrupted' : answer ? 'watch' : 'leave'
    },
  }
}

/** Before the wizard asks for the missing parts. Throws every violation. More products than one order holds may become a batch. */
const refuseInvalid = (context: Context, draft: Draft, batchObstacle: string | undefined): void => {
  const { parts, list } = draft
  const given = parts.productList ?? [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const isBatch = batchObstacle === undefined && needsBatch(given)
  // The limits of one order do not apply to a batch.
  const shrink = (product: ProductInput): ProductInput[] => [
    checkQuantity(product.quantity, 1) === undefined ? { ...product, quantity: '1' } : product,
  ]
  const lists = isBatch ? given.map(shrink) : [given]
  for (const productList of lists) {
    const checked = { parts: { ...parts, productList }, list: parts.productList && list }
    completeDraft(context, { ...draft, ...checked, defaultWallet: 'USD' })
  }
}

/** The usual advice suggests flags. */
const adviseReference = (failure: Failure): Failure =>
  rewrite(failure, failure.message, {
    ...failure.details,
    advice: 'If you need a different order, run create again and type a different reference.',
  })

/** No order exists, and another answer may help. */
const canHelp = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'refused' || failure.kind === 'unavailable') &&
  failure.details.orderId === undefined

/** The flag that a batch cannot have. Undefined if a batch can do everything that was asked for. */
const findBatchObstacle = ({ webhookUrl, idempotent, reveal }: CreateOptions): string | undefined => {
  if (webhookUrl !== undefined) return '--webhook-url'
  if (idempotent) return '--idempotent'
  return reveal ? '--reveal' : undefined
}

/** The text is quoted for a shell, and the words are for the program. The command contains no secret. */
const writeEquivalent = (
  suggest: Suggest,
  options: CreateOptions,
  { products, wallet, reference }: Readonly<Omit<Order, 'reference'> & { reference: string | undefined }>,
  list: Draft['list'],
): { readonly text: string; readonly words: readonly string[] } => {
  const { timeout, maxTotal, dryRun, confirm, watch } = options
  const isBatch = needsBatch(products)
  const isPlan = isBatch && dryRun
  const flags: Flags = {
    product: products.map(({ type, ...product }) => {
      // Leaves out a type that create would choose anyway.
      const isDefault = type === (list?.products.get(product.sku)?.productType ?? 'fixed')
      return formatProduct({ ...product, type: isDefault ? undefined : type })
    }),
    wallet,
    [isBatch ? 'name' : 'reference']: reference,
    // The address may hold a token. An empty value becomes a placeholder.
    'webhook-url': options.webhookUrl === undefined ? undefined : '',
    profile: options.profile,
    timeout: timeout === undefined ? undefined : formatTimeout(timeout),
    'max-total': isPlan ? undefined : maxTotal && formatDecimal(maxTotal),
    'allow-http': options.allowHttp,
    'allow-duplicate': options.allowDuplicate && !isPlan,
    'dry-run': dryRun && !isBatch,
    reveal: options.reveal,
    debug: options.debug,
    // `batch run` prompts for the cap and before it spends, even if create would confirm without a prompt.
    confirm: confirm && !isBatch,
    watch: watch && !isBatch,
  }
  const flagWords = Object.entries(flags).flatMap(([flag, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'string') return [`--${flag}`, value]
      return value === true ? [`--${flag}`] : []
    }),
  )
  if (!isBatch) return { text: suggest`create ${flags}`, words: ['create', ...flagWords] }
  return isPlan
    ? { text: suggest`batch plan ${flags}`, words: ['batch', 'plan', ...flagWords] }
    : { text: suggest`batch run ${flags}`, words: ['batch', 'run', ...flagWords] }
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
