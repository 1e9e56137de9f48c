// The wizard of create: asks for missing parts, and prints the command that does the same without questions.
import type { Context } from '../../context.ts'
import { generateReference } from '../../contract/reference.ts'
import { Failure, interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { ProductInput } from '../../text/product-flag.ts'
import type { Ask } from '../../ui/prompts/asking.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { supportsUnicode } from '../../ui/terminal/environment.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { paragraph } from '../../ui/text/fields.ts'
import { formatDeadline } from '../../ui/text/time.ts'
import { formatAccount } from '../shared/account.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { findKnownProducts } from '../shared/products/known-products.ts'
import { addType, type CompleteOrder, completeDraft, type Draft } from './draft.ts'
import type { Handover, NewOrder, Wizard } from './place-order.ts'
import type { CreateOptions } from './spec.ts'
import {
  createBatchCommand,
  findBatchObstacle,
  formatBatchCommand,
  formatCommand,
  listBatchWords,
} from './wizard/equivalent-command.ts'
import { checkQuantity, needsBatch, type Order } from './wizard/order.ts'
import type { ReviewTerminal } from './wizard/review.ts'
import { createWizard } from './wizard/wizard.ts'

type Given = { readonly account: Account; readonly draft: Draft; readonly options: CreateOptions }

/** Asks every question. Throws if the user cancels. */
export const openWizard = async (context: Context, given: Given): Promise<Wizard> => {
  const { account, draft, options } = given
  const { stderr, interrupted } = context
  const batchObstacle = findBatchObstacle(options)
  refuseInvalid(context, draft, batchObstacle)
  const intro =
    'Press Enter to accept the value in brackets, < to go back, Ctrl-C to cancel without sending anything.'
  stderr.write(`${formatAccount(context, account)}${paragraph(intro, stderr.width)}`)
  const ask = await context.asking()
  const generated = generateReference(context.clock)
  const { productList: products, wallet, reference } = draft.parts
  const wizard = createWizard(
    { products, wallet, reference },
    { ...(await findKnownProducts(context, account)), reference: generated, batchObstacle },
    createWizardTerminal(context, account, options, ask),
  )
  const answers = wizard.order
  let watch = options.watch
  const command = (): string => formatAnswers(context, { ...options, watch }, answers, { draft, generated })
  const printCommand = (): void => stderr.write(`The same command without questions:\n  ${command()}\n`)
  const readOrder = (): CompleteOrder | Handover => {
    if (needsBatch(answers.products)) {
      stderr.write(`This runs:\n  ${command()}\n`)
      return { kind: 'handover', words: listBatchWords(createBatchCommand(options, answers, draft.list)) }
    }
    const { wallet, reference } = answers
    const productList = answers.products.map((product) => addType(product, draft))
    const parts = { ...draft.parts, productList, wallet, reference }
    // Not checked against the list: if the service refuses a product, the user can change it.
    const order = completeDraft(context, { ...draft, parts, list: undefined })
    return { ...order, hasOwnReference: reference !== generated }
  }
  if (!(await wizard.askAll())) {
    if (answers.products.length > 0) stderr.write(`To continue from here:\n  ${command()}\n`)
    throw interruption(interrupted, 'cancelled; nothing was sent')
  }
  return {
    order: readOrder,
    askAgain: async (failure) => {
      if (!canHelp(failure) || interrupted.aborted) throw failure
      stderr.write(`${renderFailure(failure, context, false)}Nothing was bought. Your answers are kept.\n`)
      if (await wizard.askAgain(failure.details.refusal === 'insufficient-funds')) return readOrder()
      throw interruption(interrupted, 'cancelled; nothing was bought')
    },
    askToConfirm: async (placed, now) => {
      const answer = await askToConfirm(context, ask, placed, now)
      if (answer === true) watch = true
      return answer
    },
    printCommandAfter: async (submit) => {
      try {
        const result = await submit()
        if (result === exitCodes.ok.code) printCommand()
        return result
      } catch (error) {
        const mayRepeat =
          !(error instanceof Failure) || error.kind === 'unknown' || error.details.orderId !== undefined
        if (!mayRepeat) printCommand()
        throw error
      }
    },
  }
}

/** Before the wizard asks for the missing parts. Throws every violation. More products than one order holds may become a batch. */
const refuseInvalid = (context: Context, draft: Draft, batchObstacle: string | undefined): void => {
  const placeholder = [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const given = draft.parts.productList ?? placeholder
  const isBatch = batchObstacle === undefined && needsBatch(given)
  const lists = isBatch ? given.map((each) => [reduceToOne(each)]) : [given]
  const list = draft.parts.productList === undefined ? undefined : draft.list
  for (const productList of lists) {
    completeDraft(context, { ...draft, parts: { ...draft.parts, productList }, list, defaultWallet: 'USD' })
  }
}

/** The limits of one order do not apply to a batch. */
const reduceToOne = (product: ProductInput): ProductInput => ({
  ...product,
  quantity: checkQuantity(product.quantity, 1, undefined) === undefined ? '1' : product.quantity,
})

/** The command that does the same without questions. */
const formatAnswers = (
  { suggest }: Context,
  options: CreateOptions,
  answers: Readonly<Order>,
  { draft, generated }: { readonly draft: Draft; readonly generated: string },
): string => {
  if (needsBatch(answers.products)) {
    return formatBatchCommand(suggest, createBatchCommand(options, answers, draft.list))
  }
  const reference = answers.reference === generated ? undefined : answers.reference
  return formatCommand(suggest, options, { ...answers, reference }, draft.list)
}

const askToConfirm = (
  context: Context,
  ask: Ask,
  { created: { invoice }, expiresAt }: NewOrder,
  now: number,
): Promise<boolean | undefined> => {
  const { stderr } = context
  const until = formatDeadline(expiresAt, viewOf(context, now, stderr))
  if (until !== '') {
    const text = `You can confirm it ${until}. After that, it expires and costs nothing.`
    stderr.write(paragraph(text, stderr.width))
  }
  return ask.yesOrNo(`Confirm the order and spend ${formatMoney(invoice.total, invoice.wallet)}?`)
}

/** No order exists, and another answer may help. */
const canHelp = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'refused' || failure.kind === 'unavailable') &&
  failure.details.orderId === undefined

const createWizardTerminal = (
  context: Context,
  account: Account,
  options: CreateOptions,
  ask: Ask,
): ReviewTerminal => {
  const { clock, stderr, environment, platform } = context
  const hasUnicode = supportsUnicode(environment, platform)
  return {
    ask,
    say: (text) => stderr.write(text),
    view: () => ({
      ...viewOf(context, clock.now(), stderr),
      hasUnicode,
      account: describeAccount(account),
    }),
    describePlacing: (isBatch) => (isBatch ? describeBatch(options) : describePlacing(options)),
  }
}

const describeAccount = (account: Account): string => {
  if (account.kind === 'sandbox') return 'sandbox, no real money'
  const { name, baseUrl, account: declared } = account
  const who = name === environmentName ? 'the environment' : name
  return `${who}, ${new URL(baseUrl).host}${declared === undefined ? '' : `, account ${declared}`}`
}

const describePlacing = ({ dryRun, confirm, watch }: CreateOptions): string => {
  if (dryRun) return 'check the order (sends nothing)'
  return confirm || watch
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

const describeBatch = ({ dryRun }: CreateOptions): string =>
  dryRun ? 'plan the batch (sends nothing)' : 'start the batch (asks again before it spends)'
