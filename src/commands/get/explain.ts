// get --explain: the text for a ticket, also as JSON and on the clipboard.

import { type Clipboard, copyToFirst } from '../../app/clipboard.ts'
import { writeNote } from '../../app/notes.ts'
import type { Result } from '../../app/output/output.ts'
import { selectCards } from '../../app/select-cards.ts'
import type { CommandSession } from '../../app/session.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { mayOnlyPrepare } from '../../journal/accounts.ts'
import { findActors } from '../../journal/actors.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { listCalls } from '../../journal/orders/queries.ts'
import { listOrderReveals } from '../../journal/orders/reveals.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { findRevealer } from '../../text/actor-name.ts'
import { readTicket, type Ticket, type TicketHistory, ticketFields } from '../../ui/screens/ticket.ts'
import { themeFor, viewOf } from '../../ui/terminal/view.ts'
import { listNames } from '../../ui/text/result-fields.ts'
import { renderExplanation } from './explain-screen.ts'

/** `card` is a number in the list of all cards, as for redeem. `clipboards` is empty if nothing is copied. */
export const explainOrder = async (
  session: CommandSession,
  { data: order, view: orderView, known }: ReadOrder,
  card: number | undefined,
  clipboards: readonly Clipboard[],
): Promise<Result> => {
  const ticket: Ticket = {
    order,
    view: orderView,
    cards: selectCards(findCards(order.redeem), card, order.uid),
    isOneCard: card !== undefined,
    history: known && (await readHistory(session, order, known.entry)),
  }
  const view = viewOf(session.context, session.serviceNow())
  if (clipboards.length > 0) {
    // One line a paragraph, because the field of a ticket has its own width.
    const width = Number.POSITIVE_INFINITY
    const plain = { ...view, timeZone: 'UTC', width, theme: themeFor({ colour: false }) }
    const { name } = await copyToFirst(clipboards, renderExplanation(ticket, plain), {
      orderId: order.uid,
      fix: (suggest) => suggest`get ${order.uid} --explain`,
    })
    writeNote(session.context, `Copied the text with ${name}. It contains no code.\n`)
  }
  return {
    names: listNames(ticketFields),
    data: () => readTicket(ticket),
    ids: [order.uid],
    screen: () => renderExplanation(ticket, view),
  }
}

/** Undefined if the journal cannot be read. */
const readHistory = async (
  { journals, owner }: CommandSession,
  order: Order,
  entry: Entry,
): Promise<TicketHistory | undefined> => {
  let history: TicketHistory | undefined
  await journals.attempt('the journal was not read', async (journal) => {
    const [calls, reveals, batches, needsOtherRole] = await Promise.all([
      listCalls(journal.read, entry.number),
      listOrderReveals(journal.read, owner.account, order.uid),
      findBatchNames(journal.read, [entry]),
      mayOnlyPrepare(journal.read, owner.account),
    ])
    const findActor = await findActors(journal.read, [entry, ...calls])
    const { profile, placedAt, confirmedAt, placedWith, batch } = entry
    history = {
      ...{ profile, placedAt, placedWith, needsOtherRole },
      batch: batch === undefined ? undefined : batches.get(batch),
      placedBy: findActor(entry),
      confirmedAt,
      calls: calls.map((call) => ({ ...call, by: findActor(call) })),
      reveals: reveals.map(({ at, how, skus, ...reveal }) => ({ at, by: findRevealer(reveal), how, skus })),
    }
  })
  return history
}
