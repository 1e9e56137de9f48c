// Finds the order that the user names: an id, `@last`, or `ref:REFERENCE`.
import { Failure } from '../errors.ts'
import { type Entry, isVoid, journalOnlyStates } from '../journal/entry.ts'
import type { Spending } from './deps.ts'

type Place = Pick<Spending, 'journal' | 'owner'>

const lastWord = '@last'
const referencePrefix = 'ref:'

export const needsJournal = (text: string): boolean => text === lastWord || text.startsWith(referencePrefix)

/** The orders of the journal that the text names, newest first. */
export const findEntries = ({ journal, owner }: Place, text: string): Entry[] => {
  const found = text.startsWith(referencePrefix)
    ? journal.findByReference(owner, text.slice(referencePrefix.length))
    : [text === lastWord ? journal.findLast(owner) : journal.findOrder(owner, text)].filter(
        (each) => each !== undefined,
      )
  if (found.length > 0) return found
  const what = text.startsWith(referencePrefix)
    ? `no order with the reference '${text.slice(referencePrefix.length)}'`
    : text === lastWord
      ? 'no order yet'
      : `no order ${text}`
  throw new Failure('usage', `${what} in this journal, on the account of ${owner.profile}`, {
    fix: 'orderctl list',
  })
}

const never: readonly string[] = [journalOnlyStates.refused, journalOnlyStates.notSent]

/** An older order instead of the last would be the wrong one, and money. */
const refuseNever = (last: Entry | undefined): void => {
  if (last === undefined || !never.includes(last.state)) return
  throw new Failure('usage', `the last order, ${last.reference ?? ''}, was never created (${last.state})`, {
    fix: 'Name the order by its id: orderctl list',
  })
}

/** The id of the one order that is meant. An id itself need not be in the journal. */
export const findOrder = (place: Place, text: string): string => {
  if (!needsJournal(text)) return text
  const all = findEntries(place, text)
  if (text === lastWord) refuseNever(all[0])
  const live = all.filter(({ state }) => !isVoid(state))
  const meant = live.length > 0 ? live : all
  const ids = new Set(meant.map(({ orderId }) => orderId))
  if (ids.size > 1) {
    const listed = meant.map(({ orderId, state }) => `${orderId ?? 'one without an id'} (${state})`)
    throw new Failure('usage', `${text} names ${ids.size} orders: ${listed.join(', ')}`, {
      fix: 'Name one by its id.',
    })
  }
  const orderId = meant[0]?.orderId
  if (orderId !== undefined) return orderId
  throw new Failure('usage', `the answer to the create of ${text} was lost, so its id is not known`, {
    fix: 'It spends nothing. Run the create again, or name another order: orderctl list',
  })
}
