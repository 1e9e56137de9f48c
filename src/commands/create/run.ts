// The steps of `orderctl create`: options → draft → complete order → placed → confirmed → watched → shown.

import { accountOf, printAccount } from '../../app/account.ts'
import { chooseJournal } from '../../app/journals.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import {
  openToSend,
  refuseRetry,
  refuseShortLived,
  repeatSafely,
  warnOfShortLived,
} from '../../app/open-to-send.ts'
import { preloadOutput } from '../../app/output/output.ts'
import { showOrder } from '../../app/output/show-order.ts'
import { watchOrders } from '../../app/output/watch-orders.ts'
import { mayAsk } from '../../app/terminal.ts'
import type { Program } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { withFacts } from '../../operations/dependencies.ts'
import { readOrder } from '../../operations/read.ts'
import { completeDraft, printTemplate, readDraft } from './draft.ts'
import {
  checkOnly,
  confirmPlaced,
  type PlacedOrder,
  placeOrder,
  type Submission,
  showUnconfirmed,
} from './place-order.ts'
import type { CreateOptions } from './spec.ts'

/** Returns the exit code. */
export const create = async (
  context: Context,
  options: CreateOptions,
  { requirePerson }: Program,
): Promise<number> => {
  if (options.schema || options.skeleton) return printTemplate(context, options)
  const { again, dryRun, idempotent } = options
  /** Judges the complete request, because an order file may contain a webhook, too. */
  const guardWebhook = async (webhookUrl: unknown): Promise<void> => {
    if (webhookUrl === undefined || dryRun) return
    await requirePerson('send codes of a real account to a webhook', options)
  }
  const account = await accountOf(context, options, { needsKey: !dryRun || again !== undefined })
  if (idempotent) refuseShortLived(context, chooseJournal(context, account))
  if (again !== undefined) {
    // The webhook of the earlier order is not copied.
    await guardWebhook(options.webhookUrl)
    const { readAgain } = await import('./again.ts')
    const failed = 'no create was sent'
    await using session = await withFacts(failed, () => openSession(context, options, account))
    const submission = await withFacts(failed, () => readAgain(session, again, options))
    return await submitOrder(context, submission, session)
  }
  const draft = await readDraft(context, account, options)
  await guardWebhook(draft.parts.webhookUrl ?? draft.document?.webhookUrl)
  const submission = { options, account }
  if (draft.isComplete || !mayAsk(context, options))
    return submitOrder(context, { ...submission, ...completeDraft(context, draft) })
  const { openWizard } = await import('./wizard.ts')
  // The order file may contain the webhook.
  const wizard = await openWizard(context, account, draft, { ...options, webhookUrl: draft.parts.webhookUrl })
  return wizard.submit((order) => submitOrder(context, { ...submission, ...order, wizard }))
}

/** `again`: the session that has read the earlier order. */
const submitOrder = async (context: Context, submission: Submission, again?: CommandSession) => {
  const { options, account, wizard } = submission
  if (options.dryRun) return checkOnly(context, submission)
  await using cleanup = new AsyncDisposableStack()
  const opened = again ?? cleanup.use(await openSession(context, options, account))
  // The wizard has shown the account above its questions.
  if (wizard === undefined) printAccount(context, account)
  warnOfShortLived(context, account, opened.journals.place)
  const session = await openToSend(opened, { spends: true })
  await preloadOutput(context, options)

  const { placed, decision } = await repeatSafely(session, { options, continuesTaken: true }, async () => {
    const placed = await placeOrder(session, submission)
    const decision = await decide(placed, submission, session.serviceNow())
    if (decision === 'confirm-and-watch' || decision === 'confirm-and-show')
      await confirmPlaced(session, placed, submission)
    return { placed, decision }
  })
  if (decision === 'confirm-and-show')
    return await showOrder(session, await readOrder(session, placed, 'confirmed'), options)
  if (decision === 'confirm-and-watch') {
    // The prompt has shown the order on the same terminal.
    const wasShown = !options.confirm && placed.kind !== 'confirmed' && context.stdout.isTerminal
    return await watchOrders(session, [placed], {
      ...{ output: options, timeoutMs: options.wait, isStream: false, isKnown: true, wasShown },
    }).catch((error) => {
      throw refuseRetry(options.idempotent, error)
    })
  }
  const isLeft = decision === 'interrupted' || options.watch
  return await showUnconfirmed(session, placed, submission, isLeft)
}

/** Without --confirm, the wizard asks about a new order. 'leave' and 'interrupted' keep the order unconfirmed. */
const decide = (placed: PlacedOrder, { options, wizard }: Submission, now: number) => {
  if (placed.kind === 'new' && wizard !== undefined && !options.confirm)
    return wizard.askToConfirm(placed, now)
  if (options.watch) return 'confirm-and-watch'
  return options.confirm || placed.kind === 'confirmed' ? 'confirm-and-show' : 'leave'
}
