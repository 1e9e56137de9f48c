// Finds the orders that an argument names: an id, `@last`, `ref:REFERENCE`, or `batch:NAME`.
import { batchPrefix, lastWord, namesBatch, needsJournal, referencePrefix } from '../contract/order-words.ts'
import { Failure } from '../errors.ts'
import type { Entry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import { isHolding, isNeverCreated } from '../journal/standings.ts'
import type { Session } from './session.ts'

/** Nothing was ever ordered without a journal. */
export type JournalAccess = Pick<Session, 'owner'> & { readonly journal: Journal | undefined }

/** The argument that names the order with this reference. */
export const formatReference = (reference: string): string => `${referencePrefix}${reference}`

const findOfBatch = async ({ journal, owner }: JournalAccess, name: string): Promise<Entry[]> => {
  const found = await journal?.findByBatch(owner, name)
  if (found !== undefined) return found
  throw new Failure('usage', `no batch '${name}' in this journal for the profile ${owner.profile}`, {
    fix: (suggest) => suggest`batch list`,
  })
}

/** Newest first. A batch may have none. */
export const findEntries = async (access: JournalAccess, text: string): Promise<Entry[]> => {
  if (namesBatch(text)) return findOfBatch(access, text.slice(batchPrefix.length))
  const { journal, owner } = access
  const found = text.startsWith(referencePrefix)
    ? ((await journal?.findByReference(owner, text.slice(referencePrefix.length))) ?? [])
    : toList(await (text === lastWord ? journal?.findLast(owner) : journal?.findOrder(owner, text)))
  if (found.length > 0) return found
  const what = text.startsWith(referencePrefix)
    ? `no order with reference '${text.slice(referencePrefix.length)}'`
    : text === lastWord
      ? 'you placed no orders'
      : `no order '${text}'`
  const isReference = !needsJournal(text) && (await journal?.findByReference(owner, text))?.[0] !== undefined
  throw new Failure('usage', `${what} in this journal for the profile ${owner.profile}`, {
    fix: (suggest) =>
      isReference ? `It is a reference: ${suggest.quote(formatReference(text))}` : suggest`list`,
  })
}

const toList = (found: Entry | undefined): Entry[] => (found === undefined ? [] : [found])

/** After an attempt that created no order, `@last` is an older one: confirming it could spend money on the wrong order. */
const refuseNeverCreated = async ({ journal, owner }: JournalAccess): Promise<void> => {
  const last = await journal?.findLastAttempt(owner)
  if (last === undefined || !isNeverCreated(last)) return
  throw new Failure(
    'usage',
    `the last order (reference ${last.reference ?? ''}) was never created: ${last.state}`,
    { fix: (suggest) => `Give an order id. Find it with: ${suggest`list`}` },
  )
}

/** Without attempts that another order of the batch has replaced. The oldest first. */
const findIdsOfBatch = async (access: JournalAccess, text: string): Promise<string[]> => {
  const entries = await findEntries(access, text)
  const placed = entries.filter(isHolding)
  const ids = placed.map(({ orderId }) => orderId).filter((id) => id !== undefined)
  if (ids.length > 0) return ids.toReversed()
  const name = text.slice(batchPrefix.length)
  throw new Failure('usage', `the batch ${name} has no orders`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })
}

/** A batch stands for all its orders. */
export const findOrders = async (access: JournalAccess, text: string): Promise<readonly string[]> =>
  namesBatch(text) ? findIdsOfBatch(access, text) : [await findOrder(access, text)]

const findOnlyOfBatch = async (access: JournalAccess, text: string): Promise<string> => {
  const [only = '', ...others] = await findIdsOfBatch(access, text)
  if (others.length === 0) return only
  throw new Failure('usage', `${text} has ${others.length + 1} orders, but this command takes one`, {
    fix: (suggest) => `Choose one: ${suggest`list ${{ batch: text.slice(batchPrefix.length) }}`}`,
  })
}

/** An id need not be in the journal. */
export const findOrder = async (access: JournalAccess, text: string): Promise<string> => {
  if (namesBatch(text)) return findOnlyOfBatch(access, text)
  if (!needsJournal(text)) return text
  const all = await findEntries(access, text)
  const live = all.filter(
    (entry) => isHolding(entry) && entry.result !== 'failed' && entry.result !== 'rejected',
  )
  const meant = live.length > 0 ? live : all
  const ids = new Set(meant.map(({ orderId }) => orderId))
  if (ids.size > 1) {
    const listed = meant.map(({ orderId, state }) => `${orderId ?? 'no id'} (${state})`)
    throw new Failure('usage', `${text} matches ${ids.size} orders: ${listed.join(', ')}`, {
      fix: 'Give the id of one order.',
    })
  }
  const orderId = meant[0]?.orderId
  if (orderId !== undefined) return orderId
  throw new Failure('usage', `the order id of ${text} is unknown, because the response to create was lost`, {
    fix: (suggest) => `Nothing was spent. Run create again, or choose another order: ${suggest`list`}`,
  })
}

/** For a confirm without a prompt, so that nobody sees which order it is. */
export const findOrderToConfirm = async (access: JournalAccess, text: string): Promise<string> => {
  if (text === lastWord) await refuseNeverCreated(access)
  const orderId = await findOrder(access, text)
  if (text.startsWith(referencePrefix)) await refuseOfAssistant(access, text, orderId)
  return orderId
}

/** An assistant may have taken the reference before the script, with other products. */
const refuseOfAssistant = async (
  { journal, owner }: JournalAccess,
  text: string,
  orderId: string,
): Promise<void> => {
  const entry = await journal?.findOrder(owner, orderId)
  if (entry?.placedWith === undefined || entry.standing === 'confirmed') return
  const problem = `${text} is the order ${orderId}, which an assistant prepared; it was not confirmed`
  throw new Failure('refused', problem, {
    orderId,
    fix: (suggest) => `Read it, then name it by its id: ${suggest`get ${orderId}`}`,
  })
}
