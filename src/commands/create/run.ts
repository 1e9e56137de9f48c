// The steps of `orderctl create`: options → draft → complete order → placed → confirmed → watched → shown.
import type { Context } from '../../context.ts'
import { readSpent } from '../../operations/read.ts'
import { accountOf, printAccount } from '../shared/account.ts'
import { chooseJournal, refuseShortLived, warnOfShortLived } from '../shared/journal/place.ts'
import { mayAsk, outputOf } from '../shared/options.ts'
import { showOrder } from '../shared/output/show-order.ts'
import { watchOrders } from '../shared/output/watch-orders.ts'
import { afterOtherRuns, preloadOutput } from '../shared/send-order.ts'
import { type CommandSession, openSession, openToSend } from '../shared/session.ts'
import { confirmPlaced, decideToConfirm, showUnconfirmed } from './confirm-placed.ts'
import { completeDraft, readDraft } from './draft.ts'
import { printTemplate } from './order-file.ts'
import { checkOnly, type Handover, placeOrder, type Submission } from './place-order.ts'
import type { CreateOptions } from './spec.ts'

/** Returns the exit code, or the command that buys the order as a batch. */
export const create = async (context: Context, options: CreateOptions): Promise<number | Handover> => {
  if (options.schema || options.skeleton) return printTemplate(context, options)
  const { again, dryRun } = options
  const account = await accountOf(context, options, { needsKey: !dryRun || again !== undefined })
  if (options.idempotent) refuseShortLived(context, chooseJournal(context, account))
  if (again !== undefined) {
    const { submitAgain } = await import('./again.ts')
    return submitAgain(context, account, options, submitOrder)
  }
  const draft = await readDraft(context, account, options)
  const { list } = draft
  if (draft.isComplete || !mayAsk(context, options)) {
    return submitOrder(context, { options, account, order: completeDraft(context, draft), list })
  }
  const { openWizard } = await import('./ask-for-missing.ts')
  const wizard = await openWizard(context, { account, draft, options })
  const order = wizard.order()
  if (order.kind === 'handover') return order
  return wizard.printCommandAfter(() => submitOrder(context, { options, account, order, list, wizard }))
}

/** `opened`: the session, if the caller has opened it already. */
const submitOrder = async (
  context: Context,
  submission: Submission,
  opened?: CommandSession,
): Promise<number | Handover> => {
  const { options, account } = submission
  if (options.dryRun) return checkOnly(context, submission, opened?.journals)
  if (opened !== undefined) return sendOrder(context, opened, submission)
  const session = await openSession(context, options, account)
  return sendOrder(context, session, submission).finally(session.close)
}

const sendOrder = async (
  context: Context,
  opened: CommandSession,
  submission: Submission,
): Promise<number | Handover> => {
  const { options, account } = submission
  const { idempotent: isIdempotent } = options
  const output = outputOf(options)
  printAccount(context, account)
  warnOfShortLived(context, account, opened.journals.place)
  const session = await openToSend(context, opened, { spends: true })
  await preloadOutput(output)

  const bought = await afterOtherRuns(context, session, { isIdempotent, continuesTaken: true }, async () => {
    const placed = await placeOrder(context, session, submission)
    if (placed.kind === 'handover') return placed
    const decision = await decideToConfirm(context, session, placed, submission)
    if (decision === 'watch' || decision === 'show') await confirmPlaced(context, session, placed, options)
    return { kind: 'bought', placed, decision } as const
  })
  if (bought.kind === 'handover') return bought
  const { placed, decision } = bought
  if (decision === 'show') {
    return showOrder(context, session, await readSpent(session, placed.orderId), output)
  }
  if (decision === 'watch') {
    return watchOrders(context, session, [placed.orderId], { output, isStream: false, isKnown: true })
  }
  return showUnconfirmed(context, session, placed, { ...submission, decision })
}
