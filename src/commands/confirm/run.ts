// The steps of `orderctl confirm`: options → account → order → consent → confirmed → watched → shown.

import { formatAccount, printAccount } from '../../app/account.ts'
import { canPrompt, formatWaitingWarnings, writeNote } from '../../app/notes.ts'
import { findIdToConfirm, requireOrder } from '../../app/order-ids.ts'
import { ensureDelivered, outputFor } from '../../app/output/output.ts'
import { createOrderResult, showOrder } from '../../app/output/show-order.ts'
import { watchOrders } from '../../app/output/watch-orders.ts'
import { acceptConfirmed, preloadOutput, repeatSafely, sendConfirm } from '../../app/send-order.ts'
import { openSession, openToSend, type SendingSession } from '../../app/session.ts'
import type { Context } from '../../context.ts'
import { formatMillionths } from '../../contract/money/millionths.ts'
import { Failure, interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { differenceText, refuseChanges } from '../../operations/compare.ts'
import { type ReadForConfirm, readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { countOffer, guard } from '../../operations/offer.ts'
import { type NamedOrder, readOrder } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import { renderOrderSummary } from '../../ui/screens/order.ts'
import type { ControllingTerminal } from '../../ui/terminal/controlling-terminal.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { formatExpiry } from '../../ui/text/time.ts'
import type { ConfirmOptions } from './spec.ts'

/** Returns the exit code. */
export const confirm = async (context: Context, options: ConfirmOptions): Promise<number> => {
  const { order, idempotent: isIdempotent, watch: isWatched } = options
  requireOrder(context, 'confirm', order !== undefined, options)
  await requireConsent(context, options)
  await using opened = await openSession(context, options)
  printAccount(context, opened.account)
  const session = await openToSend(opened, { spends: true })
  await preloadOutput(context, options)
  const isAsked = isConsentNeeded(context, options)
  const named = await withFacts('nothing was sent', () => findIdToConfirm(session, options, isAsked))
  const { orderId } = named
  const wasConfirmed = await repeatSafely(session, { options, continuesTaken: false }, () =>
    confirmWithConsent(session, named, options),
  ).then(
    () => false,
    (error) => acceptConfirmed(context, isIdempotent, error),
  )
  // The prompt has shown the order on the same terminal.
  const wasShown = isAsked && context.stdout.isTerminal && !wasConfirmed
  if (isWatched)
    return await watchOrders(session, [named], { output: options, isStream: false, isKnown: true, wasShown })
  if (options.quiet) {
    await outputFor(context, options).print({ ids: [orderId], data: () => undefined, screen: () => '' })
    await ensureDelivered(context, `the order ${orderId} is confirmed`, orderId)
    return exitCodes.ok.code
  }
  const confirmed = await readOrder(session, named, 'confirmed')
  const result = createOrderResult(session, confirmed, { wasShown })
  const exit = await showOrder(session, confirmed, options, result)
  return wasConfirmed ? exitCodes.ok.code : exit
}

const confirmWithConsent = async (session: SendingSession, named: NamedOrder, options: ConfirmOptions) => {
  const { context } = session
  const { orderId } = named
  const guards = { minValidityMs: options.minValidity, maxTotal: options.maxTotal }
  const read = await readForConfirm(session, named)
  const { offer, differences } = read
  guard(offer, guards, session.serviceNow())
  if (!options.acceptChanges && !isConsentNeeded(context, options)) refuseChanges(orderId, differences)
  if (!(await askConsent(session, options, read)))
    throw interruption(context.interrupted, 'this run did not confirm the order', { orderId })
  // Time has passed until the user answered.
  guard(offer, guards, session.serviceNow())
  await sendConfirm(session, offer, { allowDuplicate: options.allowDuplicate, accepted: differences })
}

/** In a script (stdin is no terminal), the command itself is the consent. */
const isConsentNeeded = ({ stdin }: Context, { yes }: ConfirmOptions): boolean => !yes && stdin.isTerminal

/** Throws if the user must be asked but cannot be. Call it before anything is sent. */
const requireConsent = async (context: Context, options: ConfirmOptions): Promise<void> => {
  if (!isConsentNeeded(context, options) || canPrompt(context, options)) return
  await (await openTerminal(context, options))[Symbol.asyncDispose]()
}

/** If the user must be asked, shows what the confirm spends, and asks. Returns whether the user consents. */
const askConsent = async (
  { context, account, journal, serviceNow }: SendingSession,
  options: ConfirmOptions,
  { order, offer, differences, entry, view }: ReadForConfirm,
): Promise<boolean> => {
  const { stderr } = context
  const isNeeded = isConsentNeeded(context, options)
  const waiting = formatWaitingWarnings(context)
  const changes = differences.map((each) => `  ${sanitize(differenceText(each))}\n`).join('')
  // --json and -q must not hide a changed order.
  const warning = changes && `warning: the order differs from the order that was placed:\n${changes}`
  const origin = entry === undefined ? '' : await describeOrigin(journal, entry, countOffer(offer))
  const drawOn = (output: Context['stderr']): string => {
    const now = serviceNow()
    const summary = renderOrderSummary(order, view, viewOf(context, now, output))
    const guess = offer.isEstimate ? ' (estimated)' : ''
    return `${summary}${formatExpiry(offer.expiresAt, now)}${guess}\n${origin}${waiting}${warning}`
  }
  const question = `Confirm the order and spend ${formatMoney(offer.total, offer.wallet)}?`
  if (isNeeded && canPrompt(context, options)) {
    if (stderr.isQuiet) stderr.write(formatAccount(context, account))
    stderr.write(drawOn(stderr))
    return context.askYesNo(question)
  }
  stderr.write(warning)
  if (!isNeeded) {
    if (origin !== '') writeNote(context, origin)
    return true
  }
  await using terminal = await openTerminal(context, options)
  printAccount({ stderr: terminal.output }, account)
  terminal.output.write(drawOn(terminal.output))
  return await terminal.askYesNo(question)
}

/** A user may take an order for one of their own that a batch or an assistant has placed. */
const describeOrigin = async (journal: Journal, entry: Entry, counts: bigint): Promise<string> => {
  const names = entry.batch === undefined ? undefined : await findBatchNames(journal.read, [entry])
  const batch = names?.get(entry.batch ?? 0)
  const { placedWith, placedLimit: limit } = entry
  const excess =
    limit !== undefined && counts > limit ? `, and above its limit of ${formatMillionths(limit)}` : ''
  return [
    ...(batch === undefined
      ? []
      : [`It belongs to the batch ${sanitize(batch)}. Usually batch run confirms it\n`]),
    ...(placedWith === undefined ? [] : [`An assistant prepared this order with orderctl mcp${excess}\n`]),
  ].join('')
}

/** stderr is redirected, so the prompt goes to the controlling terminal. */
const openTerminal = async (context: Context, options: ConfirmOptions): Promise<ControllingTerminal> => {
  if (context.environment.CI) throw needsYes('CI is set')
  if (options.noInput) throw needsYes('prompts are turned off')
  const terminal = await context.openTerminal()
  if (terminal === undefined) throw needsYes('stderr is redirected and there is no controlling terminal')
  return terminal
}

const needsYes = (reason: string): Failure =>
  new Failure('usage', `confirm needs --yes, because it cannot prompt: ${reason}`, {
    field: '--yes',
    advice: 'Use --yes to spend without a prompt.',
  })
