// get --explain: the text for a ticket, also as JSON and on the clipboard.
import type { Context } from '../../context.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import type { Clipboard } from '../shared/clipboard.ts'
import { copyToFirst } from '../shared/copy-text.ts'
import { writeNote } from '../shared/notes.ts'
import type { Result } from '../shared/output/output.ts'
import { selectCards } from '../shared/select-cards.ts'
import type { Session } from '../shared/session.ts'
import { readHistory } from './read-history.ts'

/** `card` is a number in the list of all cards, as for redeem. */
export const createTicket = async (session: Session, order: Order, card: number | undefined) => ({
  order,
  cards: selectCards(findCards(order.redeem), card, order.uid),
  isOneCard: card !== undefined,
  history: await readHistory(session, order),
})

type Ticket = Awaited<ReturnType<typeof createTicket>>

export const ticketResult = async (context: Context, session: Session, ticket: Ticket): Promise<Result> => {
  const { toTicketData } = await import('../../ui/screens/ticket/ticket-data.ts')
  return {
    data: () => toTicketData(ticket),
    whole: ticket.order,
    ids: [ticket.order.uid],
    screen: async () => {
      const [{ renderExplanation }, { viewOf }] = await Promise.all([
        import('../../ui/screens/explain.ts'),
        import('../shared/output/view-of.ts'),
      ])
      return renderExplanation(ticket, viewOf(context, session.serviceNow()))
    },
  }
}

/** Copies the text in one line a paragraph, because the field of a ticket has its own width. */
export const copyTicket = async (
  context: Context,
  session: Session,
  ticket: Ticket,
  clipboards: readonly Clipboard[],
): Promise<void> => {
  const { renderExplanation } = await import('../../ui/screens/explain.ts')
  const theme = themeFor({ colour: false })
  const { suggest } = context
  const view = { now: session.serviceNow(), timeZone: 'UTC', width: Number.POSITIVE_INFINITY, theme, suggest }
  const { uid } = ticket.order
  const { name } = await copyToFirst(clipboards, renderExplanation(ticket, view), {
    orderId: uid,
    fix: (suggest) => suggest`get ${uid} --explain`,
  })
  writeNote(context, `Copied the text with ${name}. It contains no code.\n`)
}
