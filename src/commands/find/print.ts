// Prints what find has found, and what it has searched.
import type { Context } from '../../context.ts'
import type { Search } from '../../operations/find/search-orders.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { outputOf } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import type { Session } from '../shared/session.ts'
import type { DescribedOrder } from './found-orders.ts'
import type { FindOptions } from './spec.ts'

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

export const printFound = async (context: Context, session: Session, all: Found): Promise<void> => {
  const { found, options } = all
  await outputFor(context, outputOf(options)).print({
    data: () => toData(all),
    ids: found.map(({ entry }) => entry.orderId),
    screen: async () => {
      const [{ renderFound }, { viewOf }] = await Promise.all([
        import('../../ui/screens/find/found.ts'),
        import('../shared/output/view-of.ts'),
      ])
      return renderFound(found, viewOf(context, session.serviceNow()))
    },
  })
  const { renderSearched, renderSearchWarnings } = await import('../../ui/screens/find/searched.ts')
  context.stderr.write(renderSearchWarnings(all))
  if (!options.json && !options.quiet && !context.interrupted.aborted) {
    const width = context.stderr.isTerminal ? context.stderr.width : Number.POSITIVE_INFINITY
    context.stderr.write(renderSearched({ ...all, next: nextCommand(context, all), width }))
  }
}

const dayMs = 24 * 60 * 60 * 1000

/** The command that searches twice as far back, or all orders of the period. */
const nextCommand = ({ clock, suggest }: Context, { found, since, options }: Found): string => {
  const days = Math.max(2, Math.round((clock.now() - since) / dayMs) * 2)
  return found.length > 0
    ? suggest`find --all ${{ since: options.since?.text }}`
    : suggest`find ${{ since: `${days}d` }}`
}

const toData = ({ found, search, since, total }: Found) => {
  const { compared, forgotten, unanswered } = search
  return {
    searched: {
      since: isoTime(since),
      orders: total,
      ...{ compared, forgotten, unanswered },
      notAsked: total - compared - forgotten - unanswered,
    },
    matches: found.flatMap(({ entry, matches, names, cards, by, reveals, alsoOn }) =>
      matches.map(({ number, sku, kind, isExact }) => ({
        orderId: entry.orderId,
        reference: entry.reference ?? null,
        ...{ sku, product: names.get(sku) ?? null, card: number, cards, kind, exact: isExact },
        placedAt: isoTime(entry.placedAt),
        by: by ?? null,
        alsoOn,
        reveals: reveals
          .filter(({ skus }) => skus.includes(sku))
          .map((reveal) => ({
            ...{ at: isoTime(reveal.at), who: reveal.who, how: reveal.how, by: reveal.by ?? null },
          })),
      })),
    ),
  }
}
