// Finds the ids of the orders that the command line names.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { findOrder, findOrders, needsJournal } from '../../operations/find-order.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { Session } from './session.ts'

/** For commands that take several orders. */
export const resolveOrderIds = (
  context: Context,
  session: Session,
  texts: readonly string[],
): Promise<readonly string[]> => resolveIds(context, session, texts, findOrders)

/** For commands that take one order. */
export const resolveOrderId = async (context: Context, session: Session, text: string): Promise<string> => {
  const [id = ''] = await resolveIds(context, session, [text], (access, named) => [findOrder(access, named)])
  return id
}

/** Accepts ids, `@last`, `ref:REFERENCE` and `batch:NAME`. */
const resolveIds = async (
  { stderr }: Context,
  { journals, owner }: Session,
  texts: readonly string[],
  find: typeof findOrders,
): Promise<readonly string[]> => {
  if (texts.some((text) => text.trim() === '')) {
    throw new Failure('usage', 'an order id is empty', { fix: 'orderctl list' })
  }
  if (texts.some(needsJournal)) {
    const journal = await journals.openToRead()
    return texts.flatMap((text) => find({ journal, owner }, text))
  }
  await journals.attemptIfThere('the account of the order was not checked', (journal) => {
    for (const id of texts) {
      const other = journal.findOrder(owner, id) === undefined ? journal.findOnAnyAccount(id)[0] : undefined
      if (other === undefined) continue
      stderr.write(
        `warning: the order ${sanitize(id)} was placed with the profile ${sanitize(other.profile)}, at ${sanitize(other.origin)}, not with ${sanitize(owner.profile)}\n`,
      )
    }
  })
  return texts
}
