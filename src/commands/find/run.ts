// The steps of `orderctl find`: options → account → value → orders of the journal → search → recorded and printed.
import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import { formatUtcDay } from '../../contract/timestamp.ts'
import { exitCodes } from '../../exit-codes.ts'
import { listDelivered } from '../../journal/history.ts'
import { createPace } from '../../operations/batch/pace.ts'
import { type Search, searchOrders } from '../../operations/find/search-orders.ts'
import { interruption } from '../../operations/read.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readOutputOptions, readSessionOptions } from '../shared/options.ts'
import { readMoment } from '../shared/read-moment.ts'
import { openSession, type Session } from '../shared/session.ts'
import type { FindFlags } from './flags.ts'
import { describeOrders, recordSearch } from './found-orders.ts'
import { printFound } from './print.ts'
import { ensureReadable, readMatcher } from './read-value.ts'

const maxParallel = 8

/** Returns the exit code. */
export const find = async (context: Context, flags: FindFlags): Promise<number> => {
  const options = readFindOptions(context, flags)
  ensureReadable(context, options.session)
  const { clock, random } = context
  const pace = createPace({ max: maxParallel, clock, random })
  const session = await openSession(context, options.session, undefined, pace.observe)
  try {
    const matcher = await readMatcher(context)
    const journal = await session.journals.openToRead()
    const orders =
      journal === undefined ? [] : await listDelivered(journal, session.owner.account, options.since)
    const readNames = await loadNameReader()
    const findsAll = options.findsAll || matcher.isShort
    const search = await withProgress(session, orders.length, (onProgress) =>
      searchOrders({ ...session, pace, onProgress }, orders, { matcher, findsAll, readNames }),
    )
    const found = await describeOrders(session, journal, search.found)
    const isEnded = findsAll || search.found.length === 0
    const all = { ...{ found, search, since: options.since }, total: orders.length, isEnded, flags }
    await recordSearch(context, session, search.found, () =>
      printFound(context, session, all, options.output),
    )
    if (context.interrupted.aborted) throw createInterruption(context, search, orders.length)
    return chooseExit(search)
  } finally {
    await session.close()
  }
}

const readFindOptions = (context: Context, flags: FindFlags) => {
  const reader = createFlagReader('find')
  const since = readMoment(reader, '--since', flags.since ?? '90d', context)?.from ?? 0
  if (since > context.clock.now()) reader.addProblem('--since is in the future', '--since')
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  reader.check()
  return { session, output, since, findsAll: flags.all === true }
}

/** The service may repeat a code in the name of a product. */
const loadNameReader = async () => {
  const { maskOrder } = await import('../../ui/masking/mask-tree.ts')
  return (order: Order): ReadonlyMap<string, string> =>
    new Map([...maskOrder(order).products].map(([sku, { shopItem }]) => [sku, shopItem.name]))
}

const withProgress = async (
  { waiting }: Session,
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

const countDone = ({ compared, forgotten, unanswered }: Search): number => compared + forgotten + unanswered

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
