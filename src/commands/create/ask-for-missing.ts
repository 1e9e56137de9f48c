// The wizard of create: asks for missing parts, and prints the command that does the same without questions.
import type { Context } from '../../context.ts'
import type { CreatedOrder } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { interruption } from '../../operations/read.ts'
import type { Account } from '../../profiles/account.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { paragraph } from '../../ui/text/fields.ts'
import { formatMoney } from '../../ui/text/money.ts'
import { formatDeadline } from '../../ui/text/time.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { type CompleteOrder, completeDraft, type Draft, generateReference } from './draft.ts'
import { formatCommand } from './equivalent-command.ts'
import type { CreateOptions } from './options.ts'

type Given = { readonly account: Account; readonly draft: Draft; readonly options: CreateOptions }

export type Wizard = {
  /** The order, by the latest answers. */
  order(): CompleteOrder
  /** Shows the order again, so that the user can change it. Throws the failure if another answer cannot help. */
  askAgain(failure: unknown): Promise<CompleteOrder>
  /** Undefined if the user cancels. */
  askToConfirm(created: CreatedOrder, leftMs: number): Promise<boolean | undefined>
  /** Then prints the command without questions, unless it might repeat an order. */
  printCommandAfter(submit: () => Promise<number>): Promise<number>
}

/** Asks every question. Throws if the user cancels. */
export const openWizard = async (context: Context, given: Given): Promise<Wizard> => {
  const { account, draft, options } = given
  const { stderr, interrupted } = context
  refuseInvalid(context, draft)
  const view = () => viewOf(context, context.clock.now(), stderr)
  stderr.write(
    paragraph(
      'Press Enter to accept the value in brackets, < to go back, Ctrl-C to cancel without sending anything.',
      view().width,
    ),
  )
  const ask = await context.asking()
  const { findKnownProducts } = await import('./known-products.ts')
  const { createWizard } = await import('./wizard/wizard.ts')
  const generated = generateReference(context)
  const { productList: products, wallet, reference } = draft.parts
  const questions = createWizard(
    { products, wallet, reference },
    { ...(await findKnownProducts(context, account)), reference: generated },
    { ask, say: (text) => stderr.write(text), view, placing: describePlacing(options) },
  )
  const answers = questions.order
  let isWatched = options.isWatched
  const command = (): string => {
    const ownReference = answers.reference === generated ? undefined : answers.reference
    return formatCommand({ ...options, isWatched }, { ...answers, reference: ownReference }, draft.typeOf)
  }
  const printCommand = (): void => stderr.write(`The same command without questions:\n  ${command()}\n`)
  const order = (): CompleteOrder => {
    const { products: productList, wallet, reference } = answers
    const parts = { ...draft.parts, productList, wallet, reference }
    const { request } = completeDraft(context, { ...draft, parts })
    return { request, hasOwnReference: reference !== generated }
  }
  if (!(await questions.questions('first'))) {
    if (answers.products.length > 0) stderr.write(`To continue from here:\n  ${command()}\n`)
    throw interruption(interrupted, 'cancelled; nothing was sent')
  }
  return {
    order,
    askAgain: async (failure) => {
      if (!canHelp(failure) || interrupted.aborted) throw failure
      stderr.write(`${renderFailure(failure, stderr, false)}Nothing was bought. Your answers are kept.\n`)
      if (await questions.questions('last')) return order()
      throw interruption(interrupted, 'cancelled; nothing was bought')
    },
    askToConfirm: async ({ invoice }, leftMs) => {
      const until = formatDeadline(leftMs, view())
      if (until !== '') {
        stderr.write(
          paragraph(`You can confirm it ${until}. After that, it expires and costs nothing.`, view().width),
        )
      }
      const total = formatMoney(invoice.total, invoice.wallet)
      const answer = await ask.yesOrNo(`Confirm the order and spend ${total}?`)
      if (answer === true) isWatched = true
      return answer
    },
    printCommandAfter: async (submit) => {
      try {
        const exit = await submit()
        if (exit === exitCodes.ok.code) printCommand()
        return exit
      } catch (error) {
        const mayRepeat =
          !(error instanceof Failure) || error.kind === 'unknown' || error.details.orderId !== undefined
        if (!mayRepeat) printCommand()
        throw error
      }
    },
  }
}

const describePlacing = ({ isDryRun, isConfirmed }: CreateOptions): string => {
  if (isDryRun) return 'check the order; send nothing'
  return isConfirmed
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

/** No order exists, and another answer may help. */
const canHelp = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'refused' || failure.kind === 'unavailable') &&
  failure.details.orderId === undefined

/** Throws if a given part is wrong, before any question. */
const refuseInvalid = (context: Context, draft: Draft): void => {
  const placeholder = [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  const parts = { ...draft.parts, productList: draft.parts.productList ?? placeholder }
  completeDraft(context, { ...draft, parts, defaultWallet: 'USD' })
}
