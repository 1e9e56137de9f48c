// Which order is meant: an id, `@last`, or `ref:NAME` for a reference.
import { Failure } from '../errors.ts'
import { type Entry, isVoid, ownStandings } from '../journal/entry.ts'
import type { Spending } from './deps.ts'

type Place = Pick<Spending, 'journal' | 'owner'>

const lastWord = '@last'
const referencePrefix = 'ref:'

export const needsJournal = (text: string): boolean => text === lastWord || text.startsWith(referencePrefix)

/** What the journal has under that name, newest first. */
export const findEntries = ({ journal, owner }: Place, text: string): Entry[] => {
  const found = text.startsWith(referencePrefix)
    ? journal.byReference(owner, text.slice(referencePrefix.length))
    : [text === lastWord ? journal.last(owner) : journal.find(owner, text)].filter(
        (each) => each !== undefined,
      )
  if (found.length > 0) return found
  throw new Failure('usage', `${text} is no order placed from here on the profile ${owner.profile}`, {
    fix: 'orderctl list',
  })
}

/** An older one in the place of the last would be the wrong order, and money. */
const refuseNever = (last: Entry | undefined): void => {
  if (last?.standing !== ownStandings.refused && last?.standing !== ownStandings.notSent) return
  throw new Failure(
    'usage',
    `the last order placed from here, ${last.reference ?? ''}, was never created: ${last.standing}`,
    {
      fix: 'Name the order that you mean: orderctl list',
    },
  )
}

/** The id of the one order that is meant; an id itself need not be in the journal. */
export const findOrder = (place: Place, text: string): string => {
  if (!needsJournal(text)) return text
  const all = findEntries(place, text)
  if (text === lastWord) refuseNever(all[0])
  const live = all.filter(({ standing }) => !isVoid(standing))
  const meant = live.length > 0 ? live : all
  if (meant.length > 1) {
    const ids = meant.map(({ orderId, standing }) => `${orderId ?? 'one without id'} (${standing})`)
    throw new Failure('usage', `${text} is ${meant.length} orders: ${ids.join(', ')}`, {
      fix: 'Name one by its id.',
    })
  }
  const orderId = meant[0]?.orderId
  if (orderId !== undefined) return orderId
  // An older one in its place would be the wrong order, and money.
  throw new Failure('unknown', `whether ${text} was created is not known, and it has no id`, {
    fix: 'orderctl reconcile',
  })
}
