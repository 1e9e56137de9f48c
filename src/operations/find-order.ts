// Finds the order that an argument names: an id, `@last`, or `ref:REFERENCE`.
import { Failure } from '../errors.ts'
import { type Entry, isVoid, journalOnlyStates } from '../journal/entry.ts'
import type { Spending } from './deps.ts'

type JournalAccess = Pick<Spending, 'journal' | 'owner'>

const lastWord = '@last'
const referencePrefix = 'ref:'

export const needsJournal = (text: string): boolean => text === lastWord || text.startsWith(referencePrefix)

/** Newest first. */
export const findEntries = ({ journal, owner }: JournalAccess, text: string): Entry[] => {
  const found = text.startsWith(referencePrefix)
    ? journal.findByReference(owner, text.slice(referencePrefix.length))
    : [text === lastWord ? journal.findLast(owner) : journal.findOrder(owner, text)].filter(
        (each) => each !== undefined,
      )
  if (found.length > 0) return found
  const what = text.startsWith(referencePrefix)
    ? `no order with reference '${text.slice(referencePrefix.length)}'`
    : text === lastWord
      ? 'no orders'
      : `no order ${text}`
  throw new Failure('usage', `${what} in this journal for the profile ${owner.profile}`, {
    fix: 'orderctl list',
  })
}

const neverCreated: readonly string[] = [journalOnlyStates.refused, journalOnlyStates.notSent]

/** Falling back to an older order could spend money on the wrong one. */
const refuseNeverCreated = (last: Entry | undefined): void => {
  if (last === undefined || !neverCreated.includes(last.state)) return
  throw new Failure(
    'usage',
    `the last order (reference ${last.reference ?? ''}) was never created: ${last.state}`,
    { fix: 'Give an order id. Find it with: orderctl list' },
  )
}

/** An id need not be in the journal. */
export const findOrder = (access: JournalAccess, text: string): string => {
  if (!needsJournal(text)) return text
  const all = findEntries(access, text)
  if (text === lastWord) refuseNeverCreated(all[0])
  const live = all.filter(({ state }) => !isVoid(state))
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
  throw new Failure('usage', `the order id of ${text} is unknown, because the answer to create was lost`, {
    fix: 'Nothing was spent. Run create again, or choose another order: orderctl list',
  })
}
