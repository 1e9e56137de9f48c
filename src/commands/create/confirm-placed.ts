// Confirms the order that create placed, or shows it unconfirmed.
import type { Context } from '../../context.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { guard, type Offer, offerOf } from '../../operations/offer.ts'
import { readOrder } from '../../operations/read.ts'
import { renderCreated } from '../../ui/screens/order.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { outputOf } from '../shared/options.ts'
import { ensureDelivered, outputFor } from '../shared/output/output.ts'
import { createOrderResult, showOrder } from '../shared/output/show-order.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { acceptConfirmed, confirmOrder } from '../shared/send-order.ts'
import type { SendingSession } from '../shared/session.ts'
import type { PlacedOrder, Submission } from './place-order.ts'
import type { CreateOptions } from './spec.ts'

/** 'leave' and 'interrupted' keep the order unconfirmed. It expires and costs nothing. */
type Decision = 'watch' | 'show' | 'leave' | 'interrupted'

/** The flags decide. Without them, the wizard asks. */
export const decideToConfirm = async (
  context: Context,
  session: SendingSession,
  placed: PlacedOrder,
  { options, wizard }: Submission,
): Promise<Decision> => {
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

export const confirmPlaced = async (
  context: Context,
  session: SendingSession,
  placed: PlacedOrder,
  { idempotent: isIdempotent, allowDuplicate, maxTotal }: CreateOptions,
): Promise<void> => {
  const { orderId } = placed
  if (placed.kind === 'earlier' && placed.isConfirmed) return
  // If the id was used before, the response may be an old one. The order itself must be the new one.
  if (placed.kind === 'new' && placed.sameId.length > 0) await readUnchanged(session, orderId)
  // Another run may confirm the order meanwhile.
  await acceptConfirmed(context, isIdempotent, async () => {
    const offer =
      placed.kind === 'new' ? offerOf(placed.created, placed) : await readUnchanged(session, orderId)
    guard(offer, { maxTotal }, session.serviceNow())
    await confirmOrder(context, session, offer, { allowDuplicate })
  })
}

/** Throws if the order differs from the one that was placed. */
const readUnchanged = async (session: SendingSession, orderId: string): Promise<Offer> => {
  const { offer, differences } = await readForConfirm(session, orderId)
  refuseChanges(orderId, differences)
  return offer
}

export const showUnconfirmed = async (
  context: Context,
  session: SendingSession,
  placed: PlacedOrder,
  { options, wizard, decision }: Submission & { readonly decision: Decision },
): Promise<number> => {
  const { stdout, stderr, interrupted, suggest } = context
  const { orderId } = placed
  if (placed.kind === 'earlier') {
    const { data: order } = await readOrder(session, orderId)
    // The first run printed the response to create, which has the id under this name.
    const data = () => ({ id: orderId, ...order })
    const result = { ...createOrderResult(context, session, order), data }
    return showOrder(context, session, order, outputOf(options), result)
  }
  // If stdout is the same terminal, the wizard has already shown the order.
  if (wizard === undefined || !stdout.isTerminal) {
    await outputFor(context, outputOf(options), { isPlaced: true }).print({
      // The response to create does not repeat the reference.
      data: () => ({ ...placed.created, reference: placed.reference }),
      ids: [orderId],
      screen: () => renderCreated(placed.created, placed.reference, viewOf(context, session.serviceNow())),
    })
  }
  const facts = `the order ${orderId} was created, and is not confirmed`
  await ensureDelivered(context, facts, orderId)
  if (decision === 'interrupted') {
    throw interruption(interrupted, `interrupted; ${sanitize(facts)}`, {
      orderId,
      fix: (suggest) =>
        `Confirm it: ${suggest`confirm ${orderId}`}. If you do nothing, it expires and costs nothing.`,
    })
  }
  if (stderr.isTerminal) stderr.write(`Confirm it: ${suggest`confirm ${orderId}`}\n`)
  return exitCodes.ok.code
}
