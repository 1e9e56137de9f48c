// create --idempotent: goes on with the order that an earlier run placed under the same reference.
import type { Context } from '../../context.ts'
import type { Entry } from '../../journal/entry.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import { guard } from '../../operations/offer.ts'
import { readOrder, readSpent } from '../../operations/read.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { confirmOrder, wasConfirmedBefore } from '../shared/confirm-order.ts'
import type { Session } from '../shared/session.ts'
import { showOrder } from '../shared/show-order.ts'
import type { CarryOutFlags, CompleteOrder } from './complete-order.ts'

type Work = {
  readonly deps: Spending
  readonly entry: Entry
  readonly order: CompleteOrder
  readonly flags: CarryOutFlags
}

export const goOn = async (context: Context, session: Session, work: Work): Promise<number> => {
  const { entry, flags } = work
  const { orderId = '', reference = '', standing, confirmedAt } = entry
  context.stderr.write(
    `The reference ${safeText(reference)} belongs to the order ${safeText(orderId)} (${safeText(standing)}). Going on with it.\n`,
  )
  const goesOn = flags.confirm === true || flags.watch === true
  if (confirmedAt === undefined && !goesOn) {
    const { order } = await readOrder(session, orderId)
    // The first run printed the answer to create, which has the id under this name.
    const created = { id: order.uid, ...order }
    return showOrder(context, session, created, flags)
  }
  if (confirmedAt === undefined) {
    await wasConfirmedBefore(context, true, () => confirmPlaced(context, session, { ...work, orderId }))
  }
  if (flags.watch !== true) return showOrder(context, session, await readSpent(session, orderId), flags)
  const { watchOrders } = await import('../shared/watch-orders.ts')
  return watchOrders(context, session, [orderId], { ...flags, known: true })
}

const confirmPlaced = async (
  context: Context,
  session: Session,
  { deps, order, flags, orderId }: Work & { readonly orderId: string },
): Promise<void> => {
  const { offer, serviceTime, differences } = await readForConfirm(deps, orderId)
  refuseChanges(orderId, differences)
  guard(offer, { maxTotal: order.maxTotal }, serviceTime())
  await confirmOrder(context, session, { deps, offer, allowDuplicate: flags.allowDuplicate === true })
}
