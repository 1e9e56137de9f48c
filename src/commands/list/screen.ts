// The screens of list. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { FindActor } from '../../journal/actors.ts'
import type { Entry } from '../../journal/entry.ts'
import { findSeenTime, isStale } from '../../journal/observations.ts'
import { nameActor } from '../../text/actor-name.ts'
import { renderOrders, renderReveals } from '../../ui/screens/orders.ts'
import { viewOfTable } from '../shared/output/view-of.ts'

/** `findActor`: undefined if it is not shown who placed the orders. */
export const ordersScreen = (
  context: Context,
  entries: readonly Entry[],
  findActor: FindActor | undefined,
): string => {
  const view = viewOfTable(context)
  return renderOrders(
    entries.map((entry) => {
      const actor = findActor?.(entry)
      const staleSince = isStale(entry, view.now) ? findSeenTime(entry) : undefined
      return { ...entry, by: actor && nameActor(actor), staleSince }
    }),
    view,
  )
}

export const revealsScreen = (context: Context, reveals: Parameters<typeof renderReveals>[0]): string =>
  renderReveals(reveals, viewOfTable(context))
