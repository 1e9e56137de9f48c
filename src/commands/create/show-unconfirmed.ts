// Shows an order that create placed or found, and that is not confirmed. It expires and costs nothing.

import { ensureDelivered, outputFor } from '../../app/output/output.ts'
import { showOrder } from '../../app/output/show-order.ts'
import type { SendingSession } from '../../app/session.ts'
import { findWebhookHost } from '../../contract/webhook-host.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { mayOnlyPrepare } from '../../journal/accounts.ts'
import { readOrder } from '../../operations/read.ts'
import { maskResponse } from '../../ui/masking/mask-response.ts'
import { describeConfirm } from '../../ui/screens/next-step.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { adviseConfirm } from './consent.ts'
import type { PlacedOrder, Submission } from './place-order.ts'

/** `isLeft`: the person was asked, and did not confirm it. */
export const showUnconfirmed = async (
  session: SendingSession,
  placed: PlacedOrder,
  { options, request, wizard }: Submission,
  isLeft: boolean,
): Promise<number> => {
  const { context } = session
  const { stdout, stderr, interrupted, suggest } = context
  const { orderId } = placed
  const webhookHost = findWebhookHost(request.webhookUrl)
  if (placed.kind !== 'new') {
    const seen = await readOrder(session, placed, placed.kind === 'confirmed' ? 'confirmed' : 'shown')
    return showOrder(session, seen, options)
  }
  // If stdout is the same terminal, the wizard has already shown the order.
  if (wizard === undefined || !stdout.isTerminal) {
    await outputFor(context, options, { isPlaced: true }).print({
      // The response to create does not repeat these two.
      data: () => ({
        ...maskResponse(placed.created),
        ...{ reference: placed.offer.reference, webhookHost: webhookHost ?? null },
      }),
      ids: [orderId],
      screen: async () => {
        const { renderCreated } = await import('../../ui/screens/order.ts')
        const view = viewOf(context, session.serviceNow())
        return renderCreated(placed.created, placed.offer.reference, view, webhookHost)
      },
    })
  }
  const facts = `the order ${orderId} was created, and is not confirmed`
  await ensureDelivered(context, facts, orderId)
  if (isLeft)
    throw interruption(interrupted, sanitize(facts), { orderId, ...adviseConfirm(orderId, options) })
  if (stderr.isTerminal) {
    let needsOtherRole = false
    await session.journals.attempt('the limits were not read', async ({ read }) => {
      needsOtherRole = await mayOnlyPrepare(read, session.owner.account)
    })
    stderr.write(`${describeConfirm({ needsOtherRole })}: ${suggest`confirm ${orderId}`}\n`)
  }
  return exitCodes.ok.code
}
