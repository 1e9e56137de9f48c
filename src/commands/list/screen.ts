// The screens of list. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { Actor } from '../../journal/actors/actors.ts'
import type { Entry } from '../../journal/entry.ts'
import { findSeenTime, isStale } from '../../journal/observations.ts'
import { renderOrders, renderReveals } from '../../ui/screens/orders.ts'
import { viewOfTable } from '../shared/output/view-of.ts'

/** `actors`: undefined if it is not shown who placed the orders. */
export const ordersScreen = (
  context: Context,
  entries: readonly Entry[],
  actors: ReadonlyMap<number, Actor> | undefined,
): string => {
  const view = viewOfTable(context)
  const nameOf = (number: number | undefined): string | undefined => {
    const actor = actors?.get(number ?? 0)
    return actor?.role ?? actor?.user
  }
  return renderOrders(
    entries.map(({ actor, ...entry }) => ({
      ...entry,
      by: nameOf(actor),
      staleSince: isStale(entry, view.now) ? findSeenTime(entry) : undefined,
    })),
    view,
  )
}

export const revealsScreen = (context: Context, reveals: Parameters<typeof renderReveals>[0]): string =>
  renderReveals(reveals, viewOfTable(context))
