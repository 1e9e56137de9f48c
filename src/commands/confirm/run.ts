// The steps of `orderctl confirm`: options → account → order → consent → confirmed → watched → shown.

import { printAccount } from '../../app/account.ts'
import { findOrder, requireOrder } from '../../app/find-orders.ts'
import { openSession } from '../../app/open-session.ts'
import { acceptConfirmed, openToSend, refuseRetry, repeatSafely } from '../../app/open-to-send.ts'
import { ensureDelivered, outputFor, preloadOutput } from '../../app/output/output.ts'
import { createOrderResult, showOrder } from '../../app/output/show-order.ts'
import { watchOrders } from '../../app/output/watch-orders.ts'
import { type Consent, confirmWithConsent, requireConsent } from '../../app/send-order.ts'
import { createPromptFailure } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../errors.ts'
import { withFacts } from '../../operations/dependencies.ts'
import { readOrder } from '../../operations/read.ts'
import type { ConfirmOptions } from './spec.ts'

/** Returns the exit code. */
export const confirm = async (context: Context, options: ConfirmOptions): Promise<number> => {
  const { order, idempotent: isIdempotent, watch: isWatched } = options
  requireOrder(context, 'confirm', order !== undefined, options)
  const consent = findConsent(context, options)
  await requireConsent(context, consent)
  await using opened = await openSession(context, options)
  printAccount(context, opened.account)
  const session = await openToSend(opened, { spends: true })
  await preloadOutput(context, options)
  const { isAsked } = consent
  // A user who is asked sees which order `@last` is; a script does not.
  const named = await withFacts('nothing was sent', () =>
    findOrder(session, 'confirm', order, { profile: options.profile, isReviewed: isAsked }),
  )
  const { orderId } = named
  const wasConfirmed = await repeatSafely(session, { options, continuesTaken: false }, () =>
    confirmWithConsent(session, named, consent, options),
  ).then(
    () => false,
    (error) => acceptConfirmed(context, isIdempotent, error),
  )
  // The prompt has shown the order on the same terminal.
  const wasShown = isAsked && context.stdout.isTerminal && !wasConfirmed
  if (isWatched)
    return await watchOrders(session, [named], {
      ...{ output: options, timeoutMs: options.wait, isStream: false, isKnown: true, wasShown },
    }).catch((error) => {
      throw refuseRetry(isIdempotent, error)
    })
  if (options.quiet && !wasConfirmed) {
    await outputFor(context, options).print({ ids: [orderId], data: () => undefined, screen: () => '' })
    await ensureDelivered(context, `the order ${orderId} is confirmed`, orderId)
    return exitCodes.ok.code
  }
  const confirmed = await readOrder(session, named, 'confirmed')
  const result = createOrderResult(session, confirmed, { wasShown })
  const exit = await showOrder(session, confirmed, options, result)
  return wasConfirmed && confirmed.view.exit !== 'unknown' ? exitCodes.ok.code : exit
}

/** In a script (stdin is not a terminal), the command itself is the consent. */
const findConsent = ({ stdin }: Context, { yes, noInput, acceptWebhook }: ConfirmOptions): Consent => ({
  isAsked: !yes && stdin.isTerminal,
  ...{ noInput, acceptWebhook },
  createFailure: (reason) => createPromptFailure('confirm', 'spend', `: ${reason}`),
})
