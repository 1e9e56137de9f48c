// Finds the ids of the orders that the command line names.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { findOrder, findOrders, formatReference, needsJournal } from '../../operations/find-order.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
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

/** Accepts ids, `@last`, `ref:REFERENCE` and `batch:NAME`. A pasted id may have spaces or a line break around it. */
const resolveIds = async (
  { stderr }: Context,
  { journals, owner }: Session,
  given: readonly string[],
  find: typeof findOrders,
): Promise<readonly string[]> => {
  const texts = given.map((text) => text.trim())
  if (texts.includes('')) {
    throw new Failure('usage', 'an order id is empty', { fix: 'orderctl list' })
  }
  if (texts.some(needsJournal)) {
    const journal = await journals.openToRead()
    return (await readInParallel(texts, (text) => find({ journal, owner }, text))).flat()
  }
  await journals.attemptIfThere('the account of the order was not checked', async (journal) => {
    const warnings = await readInParallel(texts, (id) => checkId(journal, owner, id))
    for (const text of warnings) if (text !== undefined) stderr.write(`warning: ${sanitize(text)}\n`)
  })
  return texts
}

/** Returns a warning if the journal has the id on another account, or as a reference. */
const checkId = async (journal: Journal, owner: Owner, id: string): Promise<string | undefined> => {
  if ((await journal.findOrder(owner, id)) !== undefined) return undefined
  const [other] = await journal.findOnAnyAccount(id)
  if (other !== undefined) {
    return `the order ${id} was placed with the profile ${other.profile}, at ${other.origin}, not with ${owner.profile}`
  }
  const [named] = await journal.findByReference(owner, id)
  return (
    named &&
    `${id} is the reference of an order, not its id. To name the order: ${quoteShellWord(formatReference(id))}`
  )
}
