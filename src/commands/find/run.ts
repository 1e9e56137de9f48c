// The steps of `orderctl find`: account → value → orders of the journal → search → recorded and printed.
import type { Context } from '../../context.ts'
import { dayMs } from '../../contract/duration.ts'
import type { Order } from '../../contract/schemas.ts'
import { formatUtcDay } from '../../contract/timestamp.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { listDelivered } from '../../journal/list-orders.ts'
import { createPace } from '../../operations/batch/pace.ts'
import { type Search, searchOrders } from '../../operations/search-orders.ts'
import { maskOrder } from '../../ui/masking/mask-tree.ts'
import { type CommandSession, openSession } from '../shared/session.ts'
import { describeOrders, printFound, recordSearch } from './found-orders.ts'
import { ensureReadable, readMatcher } from './read-value.ts'
import type { FindOptions } from './spec.ts'

const maxParallel = 8
const defaultAgeMs = 90 * dayMs

/** Returns the exit code. */
export const find = async (context: Context, options: FindOptions): Promise<number> => {
  ensureReadable(context, options)
  const { clock, random } = context
  const since = options.since?.from ?? clock.now() - defaultAgeMs
  const pace = createPace({ max: maxParallel, clock, random })
  const session = await openSession(context, options, undefined, pace.observe)
  try {
    const matcher = await readMatcher(context, options)
    const journal = await session.journals.openToRead()
    const orders = journal === undefined ? [] : await listDelivered(journal, session.owner.account, since)
    const findsAll = options.all || matcher.isShort
    const search = await withProgress(session, orders.length, (onProgress) =>
      searchOrders({ ...session, pace, onProgress }, orders, { matcher, findsAll, readNames }),
    )
    const found = await describeOrders(session, journal, search.found)
    const isEnded = findsAll || search.found.length === 0
    const all = { found, search, since, total: orders.length, isEnded, options }
    await recordSearch(context, session, search.found, () => printFound(context, session, all))
    if (context.interrupted.aborted) throw createInterruption(context, search, orders.length)
    return chooseExit(search)
  } finally {
    await session.close()
  }
}

/** The service may repeat a code in the name of a product. */
const readNames = (order: Order): ReadonlyMap<string, string> =>
  new Map([...maskOrder(order).products].map(([sku, { shopItem }]) => [sku, shopItem.name]))

const withProgress = async (
  { waiting }: CommandSession,
  total: number,
  work: (onProgress: (search: Search) => void) => Promise<Search>,
): Promise<Search> => {
  let text = `searching: 0 of ${total} orders`
  const { end } = waiting.begin(() => text)
  return work((search) => {
    text = `searching: ${describeProgress(search, total)}`
  }).finally(end)
}

const describeProgress = (search: Search, total: number): string => {
  const { backTo } = search
  const day = backTo === undefined ? '' : `, back to ${formatUtcDay(backTo)}`
  return `${countDone(search)} of ${total} orders${day}`
}

const countDone = ({ compared, forgotten, unread }: Search): number => compared + forgotten + unread

const createInterruption = ({ interrupted }: Context, search: Search, total: number): Error => {
  const found = search.found.length === 0 ? '; no card found so far' : ''
  return interruption(interrupted, `interrupted after ${describeProgress(search, total)}${found}`, {
    fix: (suggest) => `Search a shorter period: ${suggest`find --since 7d`}`,
  })
}

/** Without a match, an order that could not be asked may have the card. */
const chooseExit = ({ found, problem }: Search): number => {
  if (found.length > 0) return exitCodes.ok.code
  return problem === undefined ? exitCodes.refused.code : exitCodes[problem.kind].code
}
