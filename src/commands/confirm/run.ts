// The steps of `orderctl confirm`: options → account → order → consent → confirmed → watched → shown.
import type { Context } from '../../context.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Difference, differenceText, refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { guard } from '../../operations/offer.ts'
import { readSpent } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import { renderOrderSummary } from '../../ui/screens/order.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { formatExpiry } from '../../ui/text/time.ts'
import { printAccount } from '../shared/account.ts'
import { outputOf } from '../shared/options.ts'
import { findIdToConfirm, requireOrder } from '../shared/order-ids.ts'
import { ensureDelivered, outputFor } from '../shared/output/output.ts'
import { createOrderResult, showOrder } from '../shared/output/show-order.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { watchOrders } from '../shared/output/watch-orders.ts'
import { acceptConfirmed, afterOtherRuns, confirmOrder, preloadOutput } from '../shared/send-order.ts'
import { openSession, openToSend, type SendingSession } from '../shared/session.ts'
import { askConsent, isConsentNeeded, requireConsent } from './consent.ts'
import type { ConfirmOptions } from './spec.ts'

/** Returns the exit code. */
export const confirm = async (context: Context, options: ConfirmOptions): Promise<number> => {
  const { order, idempotent: isIdempotent, watch: isWatched } = options
  const output = outputOf(options)
  requireOrder(context, 'confirm', order !== undefined, options)
  await requireConsent(context, options)
  const opened = await openSession(context, options)
  try {
    printAccount(context, opened.account)
    const session = await openToSend(context, opened, { spends: true })
    await preloadOutput(output)
    const isAsked = isConsentNeeded(context, options)
    const orderId = await withFacts('nothing was sent', () =>
      findIdToConfirm(context, session, options, isAsked),
    )
    const wasConfirmed = await acceptConfirmed(context, isIdempotent, () =>
      afterOtherRuns(context, session, { isIdempotent }, () =>
        confirmWithConsent(context, session, orderId, options),
      ),
    )
    // The prompt has shown the order on the same terminal.
    const wasShown = isAsked && context.stdout.isTerminal && !wasConfirmed
    if (isWatched) {
      return await watchOrders(context, session, [orderId], {
        output,
        isStream: false,
        isKnown: true,
        wasShown,
      })
    }
    if (output.format === 'ids') {
      await outputFor(context, output).print({ ids: [orderId], data: () => undefined, screen: () => '' })
      await ensureDelivered(context, `the order ${orderId} is confirmed`, orderId)
      return exitCodes.ok.code
    }
    const confirmed = await readSpent(session, orderId)
    const result = createOrderResult(context, session, confirmed, { wasShown })
    const exit = await showOrder(context, session, confirmed, output, result)
    return wasConfirmed ? exitCodes.ok.code : exit
  } finally {
    await opened.close()
  }
}

const confirmWithConsent = async (
  context: Context,
  session: SendingSession,
  orderId: string,
  options: ConfirmOptions,
): Promise<void> => {
  const guards = { minValidityMs: options.minValidity, maxTotal: options.maxTotal }
  const { order, offer, differences, placedWith } = await readForConfirm(session, orderId)
  guard(offer, guards, session.serviceNow())
  if (!options.acceptChanges && !isConsentNeeded(context, options)) refuseChanges(orderId, differences)
  const isGiven = await askConsent(context, options, {
    account: session.account,
    summary: (target) => {
      const now = session.serviceNow()
      const summary = renderOrderSummary(order, viewOf(target, now, target.stderr))
      const guess = offer.isEstimate ? ' (estimated)' : ''
      const origin = placedWith === undefined ? '' : 'Prepared by an assistant, with orderctl mcp\n'
      return `${summary}${formatExpiry(offer.expiresAt, now)}${guess}\n${origin}`
    },
    warning: warnOfChanges(differences),
    message: `Confirm the order and spend ${formatMoney(offer.total, offer.wallet)}?`,
  })
  if (!isGiven) throw interruption(context.interrupted, 'not confirmed; nothing was spent', { orderId })
  // Time has passed until the user answered.
  guard(offer, guards, session.serviceNow())
  const { allowDuplicate } = options
  await confirmOrder(context, session, { offer, allowDuplicate, accepted: differences })
}

const warnOfChanges = (differences: readonly Difference[]): string => {
  if (differences.length === 0) return ''
  const lines = differences.map((each) => `  ${sanitize(differenceText(each))}\n`)
  return `warning: the order differs from the order that was placed:\n${lines.join('')}`
}
