// orderctl create where something is missing and somebody is there: asks for it, and says the command that does the same.
import type { Context } from '../../context.ts'
import type { CreatedOrder } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { interruption } from '../../operations/read.ts'
import type { Account } from '../../profiles/account.ts'
import { failureFor } from '../../ui/screens/failure.ts'
import { paragraph } from '../../ui/text/fields.ts'
import { moneyText } from '../../ui/text/money.ts'
import { deadlineText } from '../../ui/text/time.ts'
import type { ProductInput } from '../shared/product-flag.ts'
import type { SessionFlags } from '../shared/session.ts'
import { viewOf } from '../shared/view-of.ts'
import { commandText, productWords, type RepeatedFlags } from './equivalent-command.ts'
import { madeUp, requestOf, type TypeOf } from './order-input.ts'

type Flags = SessionFlags & RepeatedFlags & { readonly input: boolean }

type Given = {
  readonly account: Account
  readonly flags: Flags
  readonly products: readonly ProductInput[] | undefined
  readonly typeOf: TypeOf
}

export type Asked = {
  /** Whether the reference was typed rather than generated. */
  hasOwnReference(): boolean
  /** What flags would have said. */
  flags(): { readonly product: readonly string[]; readonly wallet: string; readonly reference: string }
  /** Nothing came of it: shows the order again, to be changed. Throws where it is left, and what it was where it cannot be mended here. */
  mend(failure: unknown): Promise<void>
  /** Whether to spend; undefined where the question is left. By the service's time, the order is good for `leftMs`. */
  toConfirm(created: CreatedOrder, leftMs: number): Promise<boolean | undefined>
  /** Ends in the command that does the same. */
  ending<Result>(work: () => Promise<Result>): Promise<Result>
}

const placingText = ({ dryRun, confirm, watch }: Flags): string => {
  if (dryRun === true) return 'check it, and send nothing'
  return confirm === true || watch === true
    ? 'place it and confirm it: spends'
    : 'place it (spends nothing yet)'
}

/** Where something is missing, and somebody is there to ask. */
export const askForMissing = async (context: Context, given: Given): Promise<Asked> => {
  const { account, flags, products, typeOf } = given
  refuseWrong(context, given)
  const { stderr, interrupted } = context
  const view = () => viewOf(context, context.clock.now(), stderr)
  stderr.write(
    paragraph(
      'Enter takes what stands in brackets; < goes back a question; Ctrl-C leaves, and nothing is sent.',
      view().width,
    ),
  )
  const ask = await context.asking()
  const { knownProducts } = await import('./known-products.ts')
  const { createWizard } = await import('./wizard/wizard.ts')
  const known = await knownProducts(context, account)
  const made = madeUp(context)
  const wizard = createWizard(
    { products, wallet: flags.wallet, reference: flags.reference },
    { ...known, reference: made },
    { ask, say: (text) => stderr.write(text), view, placing: placingText(flags) },
  )
  const { order } = wizard
  let watch = flags.watch === true
  const command = (): string =>
    commandText(
      { ...flags, watch },
      { ...order, reference: order.reference === made ? undefined : order.reference },
      typeOf,
    )
  if (!(await wizard.questions('first'))) {
    if (order.products.length > 0) stderr.write(`to go on from here:\n  ${command()}\n`)
    throw interruption(interrupted, 'left; nothing was sent')
  }
  const say = (): void => stderr.write(`the same without questions:\n  ${command()}\n`)
  return {
    hasOwnReference: () => order.reference !== made,
    flags: () => ({
      product: productWords(order.products, typeOf),
      wallet: order.wallet ?? '',
      reference: order.reference,
    }),
    mend: async (failure) => {
      if (!isMendable(failure) || interrupted.aborted) throw failure
      stderr.write(`${failureFor(failure, stderr, false)}nothing was bought; what you answered is kept\n`)
      if (await wizard.questions('last')) return
      throw interruption(interrupted, 'left; nothing was bought')
    },
    toConfirm: async ({ invoice }, leftMs) => {
      const until = deadlineText(leftMs, view())
      if (until !== '') {
        const text = `It can be confirmed ${until}; a yes that comes later spends nothing.`
        stderr.write(paragraph(text, view().width))
      }
      const agreed = await ask.yesOrNo(`Confirm it, and spend ${moneyText(invoice.total, invoice.wallet)}?`)
      if (agreed === true) watch = true
      return agreed
    },
    ending: async (work) => {
      try {
        const exit = await work()
        if (exit === exitCodes.ok.code) say()
        return exit
      } catch (error) {
        // Where there is an order, or may be, no command that would place another.
        const isNone =
          error instanceof Failure && error.kind !== 'unknown' && error.details.orderId === undefined
        if (isNone) say()
        throw error
      }
    },
  }
}

/** There is no order, and another answer here may help. */
const isMendable = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'refused' || failure.kind === 'unavailable') &&
  failure.details.orderId === undefined

/** What is wrong with what was given is said before anything is asked. */
const refuseWrong = (context: Context, { flags, products, typeOf }: Given): void => {
  const stand = [{ sku: 'A', quote: '1', quantity: '1', type: undefined }]
  requestOf(context, undefined, flags, products ?? stand, { wallet: 'USD', typeOf })
}
