// The wizard of create: asks for missing parts, and prints the command that does the same without questions.
import type { Context } from '../../../context.ts'
import { formatDecimal } from '../../../contract/decimal.ts'
import { generateReference } from '../../../contract/reference.ts'
import { Failure, interruption } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import type { Placed } from '../../../operations/place.ts'
import type { Account } from '../../../profiles/account.ts'
import { environmentName } from '../../../profiles/profile.ts'
import { formatProduct } from '../../../text/product-flag.ts'
import type { Flags, Suggest } from '../../../text/suggest.ts'
import { renderFailure } from '../../../ui/screens/failure.ts'
import { supportsUnicode } from '../../../ui/terminal/view.ts'
import { formatMoney } from '../../../ui/text/amounts.ts'
import { paragraph } from '../../../ui/text/fields.ts'
import { formatDeadline } from '../../../ui/text/time.ts'
import { formatAccount } from '../../shared/account.ts'
import { viewOf } from '../../shared/output/view-of.ts'
import { findKnownProducts } from '../../shared/products/known-products.ts'
import { addType, type CompleteOrder, completeDraft, type Draft } from '../draft.ts'
import type { CreateOptions } from '../spec.ts'
import { checkQuantity, needsBatch, type Order } from './order.ts'
import { createQuestions, createWallets, walk } from './questions.ts'
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
  /** Undefined if the user cancels. `now` is the service's time. */
  askToConfirm(placed: Placed, now: number): Promise<boolean | undefined>
}

/** Asks every question. Throws if the user cancels. */
export const openWizard = async (
  context: Context,
  account: Account,
  draft: Draft,
  options: CreateOptions,
): Promise<Wizard> => {
  const { clock, stderr, interrupted, suggest } = context
  const { productList, wallet, reference } = draft.parts
  const batchObstacle = findBatchObstacle(options)
  refuseInvalid(context, draft, batchObstacle)
  const intro =
    'Press Enter to accept the value in brackets, < to go back, Ctrl-C to cancel without sending anything.'
  stderr.write(`${formatAccount(context, account)}${paragraph(intro, stderr.width)}`)
  const ask = await context.asking()
  const known = await findKnownProducts(context, account)
  const wallets = createWallets(known.wallets, known.products)
  const generated = generateReference(clock)
  const order: Order = {
    products: productList ?? [],
    wallet: wallet ?? wallets.only,
    reference: reference ?? generated,
  }
  const questions = createQuestions(order, { products: known.products, wallets, batchObstacle })
  const asksProducts = productList === undefined
  const listQuestions = () => [
    ...(asksProducts ? questions.listProducts() : []),
    { ...questions.getWallet(), isNeeded: wallet === undefined && wallets.only === undefined },
    // With products given, a missing reference is generated without a question.
    { ...questions.getReference(), isNeeded: asksProducts && reference === undefined },
  ]
  const review = (): Promise<boolean> =>
    reviewOrder(order, known.products, questions, {
      ask,
      say: (text) => stderr.write(text),
      view: () => ({
        ...viewOf(context, clock.now(), stderr),
        hasUnicode: supportsUnicode(context.environment, context.platform),
        account: describeAccount(account),
      }),
      describePlacing: (isBatch) => describePlacing(options, isBatch),
    })
  let { watch } = options
  const createCommand = () => createEquivalentCommand({ ...options, watch }, order, draft.list, generated)
  const printCommand = (title: string): void =>
    stderr.write(`${title}:\n  ${formatCommand(suggest, createCommand())}\n`)
  const completeOrder = (): CompleteOrder => {
    const { products, ...rest } = order
    const typed = products.map((product) => addType(product, draft.list))
    const parts = { ...draft.parts, ...rest, productList: typed }
    // Not checked against the list: if the service refuses a product, the user can change it.
    const complete = completeDraft(context, { ...draft, parts, list: undefined })
    return { ...complete, hasOwnReference: order.reference !== generated }
  }
  /** Throws the failure if another answer cannot help. */
  const changeOrder = async (failure: unknown): Promise<undefined> => {
    if (!canHelp(failure) || interrupted.aborted) throw failure
    stderr.write(`${renderFailure(failure, context, false)}Nothing was bought. Your answers are kept.\n`)
    const hasTooLittleMoney = failure.details.refusal === 'insufficient-funds'
    if (hasTooLittleMoney && order.wallet !== undefined) wallets.failed.add(order.wallet)
    const isLeft = hasTooLittleMoney && (await walk(ask, () => [questions.getWallet()], true)) === 'left'
    if (isLeft || !(await review())) throw interruption(interrupted, 'cancelled; nothing was bought')
  }

  let walked = await walk(ask, listQuestions)
  while (walked === 'back') {
    stderr.write('This is the first question. Press Ctrl-C to cancel.\n')
    walked = await walk(ask, listQuestions)
  }
  if (walked === 'left' || !(await review())) {
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
        throw error
      }
      printCommand('This runs')
      return runWords(listWords(createCommand()))
    },
    askToConfirm: async ({ created: { invoice }, expiresAt }, now) => {
      const until = formatDeadline(expiresAt, viewOf(context, now, stderr))
      if (until !== '') {
        const text = `You can confirm it ${until}. After that, it expires and costs nothing.`
        stderr.write(paragraph(text, stderr.width))
      }
      const total = formatMoney(invoice.total, invoice.wallet)
      const answer = await ask.yesOrNo(`Confirm the order and spend ${total}?`)
      watch ||= answer === true
      return answer
    },
  }
}

/** Before the wizard asks for the missing parts. Throws every violation. More products than one order holds may become a batch. */
const refuseInvalid = (context: Context, draft: Draft, batchObstacle: string | undefined): void => {
  const { parts, list } = draft
  const placeholder = [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const given = parts.productList ?? placeholder
  const isBatch = batchObstacle === undefined && needsBatch(given)
  // The limits of one order do not apply to a batch.
  const lists = isBatch
    ? given.map((product) => {
        const isValid = checkQuantity(product.quantity, 1) === undefined
        return [isValid ? { ...product, quantity: '1' } : product]
      })
    : [given]
  for (const productList of lists) {
    completeDraft(context, {
      ...draft,
      parts: { ...parts, productList },
      list: parts.productList && list,
      defaultWallet: 'USD',
    })
  }
}

/** No order exists, and another answer may help. */
const canHelp = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'refused' || failure.kind === 'unavailable') &&
  failure.details.orderId === undefined

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

/** The flag that a batch cannot have. Undefined if a batch can do everything that was asked for. */
const findBatchObstacle = ({ webhookUrl, idempotent, reveal }: CreateOptions): string | undefined => {
  if (webhookUrl !== undefined) return '--webhook-url'
  if (idempotent) return '--idempotent'
  return reveal ? '--reveal' : undefined
}

type EquivalentCommand = { readonly name: 'create' | 'batch run' | 'batch plan'; readonly flags: Flags }

/** `generated`: the reference that a second run would generate anew. The command holds no secrets. */
const createEquivalentCommand = (
  options: CreateOptions,
  { products, wallet, reference }: Readonly<Order>,
  list: Draft['list'],
  generated: string,
): EquivalentCommand => {
  const { timeout, maxTotal, dryRun, watch } = options
  const isBatch = needsBatch(products)
  const isPlan = isBatch && dryRun
  return {
    name: isPlan ? 'batch plan' : isBatch ? 'batch run' : 'create',
    flags: {
      product: products.map(({ type, ...product }) => {
        // Leaves out a type that create would choose anyway.
        const isDefault = type === (list?.products.get(product.sku)?.productType ?? 'fixed')
        return formatProduct({ ...product, type: isDefault ? undefined : type })
      }),
      wallet,
      [isBatch ? 'name' : 'reference']: isBatch || reference !== generated ? reference : undefined,
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
      confirm: options.confirm && !watch && !isBatch,
      watch: watch && !isBatch,
    },
  }
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)

/** Quoted for a shell. */
const formatCommand = (suggest: Suggest, { name, flags }: EquivalentCommand): string => {
  if (name === 'create') return suggest`create ${flags}`
  return name === 'batch run' ? suggest`batch run ${flags}` : suggest`batch plan ${flags}`
}

const listWords = ({ name, flags }: EquivalentCommand): string[] => [
  ...name.split(' '),
  ...Object.entries(flags).flatMap(([flag, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'string') return [`--${flag}`, value]
      return value === true ? [`--${flag}`] : []
    }),
  ),
]
