// Finds the ids of the orders that the command line names.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { findOrder, findOrders, needsJournal } from '../../operations/find-order.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { readInParallel } from './journal/read-in-parallel.ts'
import type { Session } from './session.ts'

/** For commands that take several orders. */
export const resolveOrderIds = (
  context: Context,
  session: Session,
  texts: readonly string[],
): Promise<readonly string[]> => resolveIds(context, session, texts, findOrders)

/** For commands that take one order. */
export const resolveOrderId = async (
  context: Context,
  session: Session,
  text: string,
  find = findOrder,
): Promise<string> => {
  const [id = ''] = await resolveIds(context, session, [text], async (access, named) => [
    await find(access, named),
  ])
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
    return (await readInParallel(texts, (text) => find({ journal, owner }, text))).flat()
  }
  await journals.attemptIfThere('the account of the order was not checked', async (journal) => {
    const others = await readInParallel(texts, async (id) => {
      if ((await journal.findOrder(owner, id)) !== undefined) return undefined
      const [other] = await journal.findOnAnyAccount(id)
      return other && { ...other, id }
    })
    for (const { id, profile, origin } of others.filter((other) => other !== undefined)) {
      stderr.write(
        `warning: the order ${sanitize(id)} was placed with the profile ${sanitize(profile)}, at ${sanitize(origin)}, not with ${sanitize(owner.profile)}\n`,
      )
    }
  })
  return texts
}
