// The steps of `orderctl create`: options → draft → complete order → placed → confirmed → watched → shown.
import type { Context } from '../../context.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { refuseSecrets } from '../../operations/place.ts'
import { readOrder, readSpent } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import { findPlaced } from '../../operations/resume.ts'
import type { Account } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { accountOf, printAccount } from '../shared/account.ts'
import { chooseJournal, refuseShortLived, warnOfShortLived } from '../shared/journal/place.ts'
import { mayAsk, outputOf, sessionOf } from '../shared/options.ts'
import { ensureDelivered, outputFor } from '../shared/output/output.ts'
import { preloadOutput } from '../shared/output/preload-output.ts'
import { showOrder } from '../shared/output/show-order.ts'
import { acceptConfirmed, afterOtherRuns, confirmOrder } from '../shared/send-order.ts'
import { type CommandSession, openSession, openToSend, type SendingSession } from '../shared/session.ts'
import { completeDraft, readDraft } from './draft.ts'
import type { Handover } from './equivalent-command.ts'
import { continueOrder, placeOrder } from './place-order.ts'
import { printRequest, printTemplate } from './print.ts'
import { printHints } from './product-hints.ts'
import type { CreateOptions } from './spec.ts'
import type { PlacedOrder, Submission } from './submission.ts'

/** Returns the exit code, or the command that buys the order as a batch. */
export const create = async (context: Context, options: CreateOptions): Promise<number | Handover> => {
  if (options.schema || options.skeleton) return printTemplate(context, options)
  const { again: earlier, dryRun } = options
  const needsKey = !dryRun || earlier !== undefined
  const account = await accountOf(context, sessionOf(options), { needsKey })
  if (options.idempotent) refuseShortLived(context, chooseJournal(context, account))
  if (earlier !== undefined) return createAgain(context, account, options, earlier)
  const draft = await readDraft(context, account, options)
  const { list } = draft
  if (draft.isComplete || !mayAsk(context, options)) {
    return submitOrder(context, { options, account, order: completeDraft(context, draft), list })
  }
  const { openWizard } = await import('./ask-for-missing.ts')
  const wizard = await openWizard(context, { account, draft, options })
  const order = wizard.order()
  if ('words' in order) return order
  return wizard.printCommandAfter(() => submitOrder(context, { options, account, order, list, wizard }))
}

const createAgain = async (
  context: Context,
  account: Account,
  options: CreateOptions,
  earlier: string,
): Promise<number | Handover> => {
  const { readAgain } = await import('./again.ts')
  const failed = 'no create was sent'
  const session = await withFacts(failed, () => openSession(context, sessionOf(options), account))
  try {
    const again = await withFacts(failed, () => readAgain(context, session, earlier, options))
    const { draft } = again
    const order = completeDraft(context, draft)
    return await submitOrder(context, { options, account, order, list: draft.list, again }, session)
  } finally {
    await session.close()
  }
}

/** `opened`: the session, if the caller has opened it already. */
const submitOrder = async (
  context: Context,
  submission: Submission,
  opened?: CommandSession,
): Promise<number | Handover> => {
  const { options, account, order, list } = submission
  if (options.dryRun) {
    if (account.kind === 'service' && account.getKnownKey !== undefined) {
      const { createSecretTest } = await import('../../client/credentials.ts')
      refuseSecrets({ containsSecret: createSecretTest(account.auth, account.getKnownKey()) }, order.request)
    }
    if (list === undefined) await printHints(context, account, order, opened?.journals)
    return printRequest(context, order.request, options)
  }
  if (opened !== undefined) return sendOrder(context, opened, submission)
  const session = await openSession(context, sessionOf(options), account)
  try {
    return await sendOrder(context, session, submission)
  } finally {
    await session.close()
  }
}

const sendOrder = async (
  context: Context,
  opened: CommandSession,
  submission: Submission,
): Promise<number | Handover> => {
  const { options, account, wizard } = submission
  const { idempotent: isIdempotent } = options
  const output = outputOf(options)
  printAccount(context, account)
  warnOfShortLived(context, account, opened.journals.place)
  const session = await openToSend(context, opened, { spends: true })
  await preloadOutput(output, { isWatched: options.watch || wizard !== undefined })

  const bought = await afterOtherRuns(context, session, { isIdempotent, continuesTaken: true }, () =>
    buyOrder(context, session, submission),
  )
  if ('words' in bought) return bought
  const { placed, decision } = bought
  if (decision === 'leave' || decision === 'interrupted') {
    return await showUnconfirmed(context, session, placed, { ...submission, decision })
  }
  if (decision === 'watch') {
    const { watchOrders } = await import('../shared/output/watch-orders.ts')
    return await watchOrders(context, session, [placed.orderId], { output, isStream: false, isKnown: true })
  }
  return await showOrder(context, session, await readSpent(session, placed.orderId), output)
}

/** Places the order, or finds the one that has its reference. Confirms it if that was asked for. */
const buyOrder = async (
  context: Context,
  session: SendingSession,
  submission: Submission,
): Promise<{ placed: PlacedOrder; decision: Decision } | Handover> => {
  const { options, again, wizard } = submission
  const { idempotent: isIdempotent, allowDuplicate, maxTotal } = options
  // The user may have changed the order since.
  const order = wizard === undefined ? submission.order : wizard.order()
  if ('words' in order) return order
  const earlier = isIdempotent
    ? await withFacts('no create was sent', () => findPlaced(session, order.request))
    : undefined
  if (earlier === undefined) again?.print(order.request)
  const placed =
    earlier === undefined
      ? await placeOrder(context, session, { ...submission, order })
      : continueOrder(context, session, earlier)
  if ('words' in placed) return placed

  const decision = await decideToConfirm(context, placed, submission)
  if (decision === 'leave' || decision === 'interrupted' || placed.isConfirmed) return { placed, decision }
  const offer = await placed.readOffer(maxTotal)
  if (offer !== undefined) {
    const confirmIt = () => confirmOrder(context, session, { offer, allowDuplicate })
    await acceptConfirmed(context, isIdempotent, confirmIt)
  }
  return { placed, decision }
}

/** 'leave' and 'interrupted' keep the order unconfirmed. It expires and costs nothing. */
type Decision = 'watch' | 'show' | 'leave' | 'interrupted'

/** The flags decide. Without them, the wizard asks. */
const decideToConfirm = async (
  context: Context,
  { isConfirmed, created }: PlacedOrder,
  { options, wizard }: Submission,
): Promise<Decision> => {
  if (options.watch) return 'watch'
  if (options.confirm || isConfirmed) return 'show'
  if (wizard === undefined || created === undefined) return 'leave'
  context.stderr.write(`${await created.screen(context.stderr)}\n`)
  const answer = await wizard.askToConfirm(created.order, created.readExpiry())
  return answer === undefined ? 'interrupted' : answer ? 'watch' : 'leave'
}

const showUnconfirmed = async (
  context: Context,
  session: CommandSession,
  { orderId, created }: PlacedOrder,
  { options, wizard, decision }: Submission & { readonly decision: Decision },
): Promise<number> => {
  const { stdout, stderr } = context
  if (created === undefined) {
    const { order } = await readOrder(session, orderId)
    // The first run printed the response to create, which has the id under this name.
    return showOrder(context, session, { id: order.uid, ...order } as typeof order, outputOf(options))
  }
  // If stdout is the same terminal, the wizard has already shown the order.
  if (wizard === undefined || !stdout.isTerminal) {
    const screen = () => created.screen()
    await outputFor(context, outputOf(options), { isPlaced: true }).print({ ...created.result, screen })
  }
  await ensureDelivered(context, `the order ${orderId} was created, and is not confirmed`, orderId)
  if (decision === 'interrupted') throw leftUnconfirmed(context, orderId)
  if (stderr.isTerminal) stderr.write(`Confirm it: ${context.suggest`confirm ${orderId}`}\n`)
  return exitCodes.ok.code
}

const leftUnconfirmed = ({ interrupted }: Context, orderId: string) =>
  interruption(interrupted, `interrupted; the order ${sanitize(orderId)} was created, and is not confirmed`, {
    orderId,
    fix: (suggest) =>
      `Confirm it: ${suggest`confirm ${orderId}`}. If you do nothing, it expires and costs nothing.`,
  })
