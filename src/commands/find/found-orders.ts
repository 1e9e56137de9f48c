// Describes what find has found, records who found it, and prints it.
import type { Context } from '../../context.ts'
import { dayMs } from '../../contract/duration.ts'
import { type Actor, findActors } from '../../journal/actors.ts'
import type { Journal } from '../../journal/journal.ts'
import { listOrderReveals, type OrderReveal } from '../../journal/reveals.ts'
import { listCardOrders } from '../../journal/seen-cards.ts'
import type { FoundOrder, Search } from '../../operations/search-orders.ts'
import { listSearchWarnings, renderFound, renderSearched } from '../../ui/screens/find.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import { outputOf } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { revealOrders } from '../shared/output/reveal.ts'
import { viewOf } from '../shared/output/view-of.ts'
import type { CommandSession } from '../shared/session.ts'
import type { FindOptions } from './spec.ts'

type DescribedOrder = FoundOrder & {
  /** Who placed the order. */
  readonly by: Actor | undefined
  /** Of the products that match. */
  readonly reveals: readonly OrderReveal[]
  /** The ids of other orders that have the same card. */
  readonly alsoOn: readonly string[]
}

const skusOf = ({ matches }: FoundOrder): string[] => [...new Set(matches.map(({ sku }) => sku))]

export const describeOrders = async (
  { owner }: CommandSession,
  journal: Journal | undefined,
  found: readonly FoundOrder[],
): Promise<DescribedOrder[]> => {
  if (journal === undefined || found.length === 0) return []
  const findActor = await findActors(
    journal,
    found.map(({ entry }) => entry),
  )
  return readInParallel(found, async (order) => {
    const { account } = owner
    const { hashes, entry } = order
    const skus = skusOf(order)
    const [all, others] = await Promise.all([
      listOrderReveals(journal, account, entry.orderId),
      listCardOrders(journal, { account, cards: hashes }),
    ])
    const reveals = all.filter((reveal) => skus.some((sku) => reveal.skus.includes(sku)))
    const alsoOn = others.filter((id) => id !== entry.orderId)
    return { ...order, reveals, alsoOn, by: findActor(entry) }
  })
}

/** Whoever finds an order has its code, so this is recorded like a reveal before it is printed. */
export const recordSearch = <Result>(
  context: Context,
  session: CommandSession,
  found: readonly FoundOrder[],
  print: () => Result,
): Promise<Awaited<Result>> => {
  const orders = found.map((order) => ({ orderId: order.entry.orderId, skus: skusOf(order) }))
  return revealOrders(context, session, { orders, how: 'find' }, print)
}

type Found = {
  readonly found: readonly DescribedOrder[]
  readonly search: Search
  readonly since: number
  /** How many orders the period has. */
  readonly total: number
  /** Whether all orders were asked for. */
  readonly isEnded: boolean
  readonly options: FindOptions
}

export const printFound = async (context: Context, session: CommandSession, all: Found): Promise<void> => {
  const { found, options } = all
  await outputFor(context, outputOf(options)).print({
    data: () => toData(all),
    ids: found.map(({ entry }) => entry.orderId),
    screen: () => renderFound(found, viewOf(context, session.serviceNow())),
  })
  for (const text of listSearchWarnings(all)) context.stderr.warn(text)
  if (!options.json && !options.quiet && !context.interrupted.aborted) {
    const width = context.stderr.isTerminal ? context.stderr.width : Number.POSITIVE_INFINITY
    context.stderr.write(renderSearched({ ...all, next: nextCommand(context, all), width }))
  }
}

/** The command that searches twice as far back, or all orders of the period. */
const nextCommand = ({ clock, suggest }: Context, { found, since, options }: Found): string => {
  const days = Math.max(2, Math.round((clock.now() - since) / dayMs) * 2)
  return found.length > 0
    ? suggest`find --all ${{ since: options.since?.text }}`
    : suggest`find ${{ since: `${days}d` }}`
}

const toData = ({ found, search, since, total }: Found) => {
  const { compared, forgotten, unread } = search
  return {
    searched: {
      since: isoTime(since),
      orders: total,
      compared,
      forgotten,
      unread,
      notAsked: total - compared - forgotten - unread,
    },
    matches: found.flatMap(({ entry, matches, names, cards, by, reveals, alsoOn }) =>
      matches.map(({ number, sku, kind, isExact }) => ({
        orderId: entry.orderId,
        reference: entry.reference ?? null,
        sku,
        product: names.get(sku) ?? null,
        card: number,
        cards,
        kind,
        exact: isExact,
        placedAt: isoTime(entry.placedAt),
        by: by ?? null,
        alsoOn,
        reveals: reveals
          .filter(({ skus }) => skus.includes(sku))
          .map((reveal) => ({
            at: isoTime(reveal.at),
            who: reveal.who,
            how: reveal.how,
            by: reveal.by ?? null,
          })),
      })),
    ),
  }
}
