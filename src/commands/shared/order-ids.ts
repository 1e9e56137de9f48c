// Finds the ids of the orders that the command line names.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Entry, Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  findOrder,
  findOrders,
  findOrderToConfirm,
  formatReference,
  needsJournal,
} from '../../operations/find-order.ts'
import { environmentName } from '../../profiles/profile.ts'
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
export const resolveOrderId = async (context: Context, session: Session, text: string): Promise<string> => {
  const [id = ''] = await resolveIds(context, session, [text], async (access, named) => [
    await findOrder(access, named),
  ])
  return id
}

/**
 * For a confirm. Refuses an id that the journal knows only from another account, where it names another order. With
 * --profile, the user chose the account, and is only warned.
 */
export const resolveIdToConfirm = async (
  context: Context,
  session: Session,
  text: string,
  { isProfileNamed }: { readonly isProfileNamed: boolean },
): Promise<string> => {
  const id = text.trim()
  if (!isProfileNamed && !needsJournal(id)) {
    const journal = await session.journals.openToRead()
    const other = journal && (await findElsewhere(journal, session.owner, id))
    if (other !== undefined) throw createStrangerFailure(session.owner, id, other)
  }
  const [found = ''] = await resolveIds(context, session, [text], async (access, named) => [
    await findOrderToConfirm(access, named),
  ])
  return found
}

const createStrangerFailure = (owner: Owner, orderId: string, other: Entry): Failure =>
  new Failure('refused', `${describeElsewhere(owner, orderId, other)}; nothing was sent`, {
    orderId,
    fix: isNamed(other)
      ? `orderctl confirm ${quoteShellWord(orderId)} --profile ${quoteShellWord(other.profile)}`
      : `Set ORDERCTL_BASE_URL to ${other.origin}. To confirm the order of ${owner.profile}, add --profile ${quoteShellWord(owner.profile)}.`,
  })

/** An account of the environment has no profile that could be named. */
const isNamed = ({ profile }: Entry): boolean => profile !== environmentName

const describeElsewhere = (owner: Owner, id: string, { profile, origin }: Entry): string =>
  `the order ${id} was placed with the profile ${profile}, at ${origin}, not with ${owner.profile}, at ${owner.origin}`

const findElsewhere = async (journal: Journal, owner: Owner, id: string): Promise<Entry | undefined> => {
  if ((await journal.findOrder(owner, id)) !== undefined) return undefined
  const [other] = await journal.findOnAnyAccount(id)
  return other
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
  await journals.attempt('the account of the order was not checked', async (journal) => {
    const warnings = await readInParallel(texts, (id) => checkId(journal, owner, id))
    for (const text of warnings) if (text !== undefined) stderr.write(`warning: ${sanitize(text)}\n`)
  })
  return texts
}

/** Returns a warning if the journal has the id on another account, or as a reference. */
const checkId = async (journal: Journal, owner: Owner, id: string): Promise<string | undefined> => {
  const other = await findElsewhere(journal, owner, id)
  if (other !== undefined) {
    const there = isNamed(other)
      ? `; to ask the other account, add --profile ${quoteShellWord(other.profile)}`
      : ''
    return `${describeElsewhere(owner, id, other)}; orderctl asks ${owner.origin} now${there}`
  }
  if ((await journal.findOrder(owner, id)) !== undefined) return undefined
  const [named] = await journal.findByReference(owner, id)
  return (
    named &&
    `${id} is the reference of an order, not its id. To name the order: ${quoteShellWord(formatReference(id))}`
  )
}
