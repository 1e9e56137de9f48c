// Reads what the journal knows about an order.
import type { Order } from '../../contract/schemas.ts'
import { findActors } from '../../journal/actors/find-actors.ts'
import { listOrderReveals } from '../../journal/history.ts'
import type { Journal } from '../../journal/journal.ts'
import { isSameOrder } from '../../operations/order-update.ts'
import { findRevealer } from '../../text/actor-name.ts'
import type { TicketHistory } from '../../ui/screens/ticket/ticket.ts'
import type { Session } from '../shared/session.ts'

/** Undefined if the order is not in the journal, or the journal cannot be read. */
export const readHistory = async (
  { journals, owner }: Session,
  order: Order,
): Promise<TicketHistory | undefined> => {
  let history: TicketHistory | undefined
  await journals.attempt('the journal was not read', async (journal) => {
    const entry = await journal.findOrder(owner, order.uid)
    if (entry === undefined || !isSameOrder(entry, order)) return
    const [calls, reveals] = await Promise.all([
      journal.listCalls(entry.number),
      readReveals(journal, owner, order),
    ])
    const findActor = await findActors(journal, [entry, ...calls])
    history = {
      ...{ profile: entry.profile, placedAt: entry.placedAt, placedBy: findActor(entry) },
      confirmedAt: entry.confirmedAt,
      calls: calls.map((call) => ({ ...call, by: findActor(call) })),
      reveals,
    }
  })
  return history
}

const readReveals = async (
  journal: Journal,
  { account }: Session['owner'],
  { uid }: Order,
): Promise<TicketHistory['reveals']> => {
  const reveals = await listOrderReveals(journal, account, uid)
  return reveals.map(({ at, how, skus, ...reveal }) => ({ at, by: findRevealer(reveal), how, skus }))
}
