// Says what was searched for a code, what could not be asked, and how to search on.

import { formatUtcDay } from '../../../contract/timestamp.ts'
import type { FoundOrder, Search } from '../../../operations/find/search-orders.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { describeCount } from '../../text/counts.ts'
import { paragraph } from '../../text/fields.ts'

type Searched = {
  readonly found: readonly Pick<FoundOrder, 'matches'>[]
  readonly since: number
  readonly total: number
  readonly isEnded: boolean
  readonly search: Search
}

/** Orders that may have the card, although it was not found in them. */
export const renderSearchWarnings = ({ search, total }: Searched): string => {
  const { compared, forgotten, unread, problem } = search
  const notAsked = total - compared - forgotten - unread
  const stopped =
    problem !== undefined && notAsked > 0 ? `; ${describeCount(notAsked, 'order')} not asked` : ''
  return [
    forgotten === 0
      ? ''
      : `warning: the service no longer has ${describeCount(forgotten, 'order')} of this period\n`,
    problem === undefined
      ? ''
      : `warning: ${describeCount(unread, 'order')} could not be read${stopped}: ${sanitize(problem.message)}\n`,
  ].join('')
}

type Shown = Searched & { readonly next: string; readonly width: number }

export const renderSearched = ({ found, since, total, isEnded, search, next, width }: Shown): string => {
  const matches = found.flatMap((order) => order.matches).length
  const day = formatUtcDay(since)
  const period = `the ${describeCount(total, 'order')} with cards since ${day}`
  if (matches === 0) {
    const none = total === 0 ? `There are no orders with cards since ${day}.` : `No card found in ${period}.`
    return paragraph(`${none} Search further back: ${next}`, width)
  }
  if (isEnded) return paragraph(`Found ${describe(matches, found.length)} in ${period}.`, width)
  const asked = search.compared + search.forgotten + search.unread
  if (asked === total) return ''
  return paragraph(`Searched ${asked} of ${period}. Search all of them: ${next}`, width)
}

const describe = (matches: number, orders: number): string =>
  orders === 1
    ? describeCount(matches, 'matching card')
    : `${describeCount(matches, 'matching card')} in ${orders} orders`
