// The steps of `orderctl create`: options → draft → complete order → placed → confirmed → watched → shown.
import type { Context } from '../../context.ts'
import { readSpent } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import { renderCreated } from '../../ui/screens/order.ts'
import { accountOf, printAccount } from '../shared/account.ts'
import { chooseJournal, refuseShortLived, warnOfShortLived } from '../shared/journal/place.ts'
import { mayAsk, outputOf } from '../shared/options.ts'
import { showOrder } from '../shared/output/show-order.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { watchOrders } from '../shared/output/watch-orders.ts'
import { afterOtherRuns, preloadOutput } from '../shared/send-order.ts'
import { type CommandSession, openSession, openToSend, type SendingSession } from '../shared/session.ts'
import type { Program } from '../shared/spec.ts'
import { completeDraft, readDraft } from './draft.ts'
import { checkOnly } from './dry-run.ts'
import { printTemplate } from './order-file.ts'
import { confirmPlaced, type PlacedOrder, placeOrder, type Submission } from './place-order.ts'
import { showUnconfirmed } from './show-unconfirmed.ts'
import type { CreateOptions } from './spec.ts'

/** Returns the exit code. `runWords` runs the batch that the user may choose in the wizard. */
export const create = async (
  context: Context,
  options: CreateOptions,
  runWords: Program['runWords'],
): Promise<number> => {
  if (options.schema || options.skeleton) return printTemplate(context, options)
  const { again, dryRun, idempotent } = options
  const account = await accountOf(context, options, { needsKey: !dryRun || again !== undefined })
  if (idempotent) refuseShortLived(context, chooseJournal(context, account))
  if (again !== undefined) {
    const { readAgain } = await import('./again.ts')
    const failed = 'no create was sent'
    await using session = await withFacts(failed, () => openSession(context, options, account))
    const submission = await withFacts(failed, () => readAgain(session, { ...options, again }))
    return await submitOrder(context, submission, session)
  }
  const draft = await readDraft(context, account, options)
  const submission = { options, account, list: draft.list }
  if (draft.isComplete || !mayAsk(context, options))
    return submitOrder(context, { ...submission, order: completeDraft(context, draft) })
  const { openWizard } = await import('./wizard/wizard.ts')
  const wizard = await openWizard(context, account, draft, options)
  return wizard.submit((order) => submitOrder(context, { ...submission, order, wizard }), runWords)
}

/** `opened`: the session, if the caller has opened it already. */
const submitOrder = async (
  context: Context,
  submission: Submission,
  opened?: CommandSession,
): Promise<number> => {
  const { options, account } = submission
  if (options.dryRun) return checkOnly(context, submission, opened?.journals)
  if (opened !== undefined) return sendOrder(opened, submission)
  await using session = await openSession(context, options, account)
  return await sendOrder(session, submission)
}

const sendOrder = async (opened: CommandSession, submission: Submission): Promise<number> => {
  const { context } = opened
  const { options, account, wizard } = submission
  const output = outputOf(options)
  // The wizard has shown the account above its questions.
  if (wizard === undefined) printAccount(context, account)
  warnOfShortLived(context, account, opened.journals.place)
  const session = await openToSend(opened, { spends: true })
  await preloadOutput(output)

  const continued = { isIdempotent: options.idempotent, continuesTaken: true }
  const { placed, decision } = await afterOtherRuns(session, continued, async () => {
    const placed = await placeOrder(session, submission)
    const decision = await decideToConfirm(session, placed, submission)
    if (decision === 'watch' || decision === 'show') await confirmPlaced(session, placed, options)
    return { placed, decision }
  })
  if (decision === 'show') return showOrder(session, await readSpent(session, placed.orderId), output)
  if (decision === 'watch')
    return watchOrders(session, [placed.orderId], { output, isStream: false, isKnown: true })
  return showUnconfirmed(session, placed, submission, decision === 'interrupted')
}

/** 'leave' and 'interrupted' keep the order unconfirmed. It expires and costs nothing. */
type Decision = 'watch' | 'show' | 'leave' | 'interrupted'

/** The flags decide. Without them, the wizard asks. */
const decideToConfirm = async (
  session: SendingSession,
  placed: PlacedOrder,
  { options, wizard }: Submission,
): Promise<Decision> => {
  const { context } = session
  if (options.watch) return 'watch'
  if (options.confirm || (placed.kind === 'earlier' && placed.isConfirmed)) return 'show'
  if (wizard === undefined || placed.kind === 'earlier') return 'leave'
  const now = session.serviceNow()
  context.stderr.write(
    `${renderCreated(placed.created, placed.reference, viewOf(context, now, context.stderr))}\n`,
  )
  const answer = await wizard.askToConfirm(placed, now)
  return answer === undefined ? 'interrupted' : answer ? 'watch' : 'leave'
}
