// Decides whether create confirms the order, and shows the order if it does not.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { interruption, readOrder } from '../../operations/read.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { outputOf } from '../shared/options.ts'
import { ensureDelivered, outputFor } from '../shared/output/output.ts'
import { showOrder } from '../shared/output/show-order.ts'
import type { Session } from '../shared/session.ts'
import type { PlacedOrder, Submission } from './submission.ts'

/** 'leave' and 'interrupted' keep the order unconfirmed. It expires and costs nothing. */
export type Decision = 'watch' | 'show' | 'leave' | 'interrupted'

/** The flags decide. Without them, the wizard asks. */
export const decideToConfirm = async (
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

export const showUnconfirmed = async (
  context: Context,
  session: Session,
  { orderId, created }: PlacedOrder,
  { options, wizard, decision }: Submission & { readonly decision: Decision },
): Promise<number> => {
  const { stdout, stderr } = context
  if (created === undefined) {
    const { order } = await readOrder(session, orderId)
    // The first run printed the answer to create, which has the id under this name.
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
