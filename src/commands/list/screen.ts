// The screens of list. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { Actor } from '../../journal/actors/actors.ts'
import type { Entry } from '../../journal/entry.ts'
import { renderOrders, renderReveals } from '../../ui/screens/orders.ts'
import { viewOf } from '../shared/output/view-of.ts'

export const ordersScreen = (
  context: Context,
  entries: readonly Entry[],
  actors: ReadonlyMap<number, Actor>,
): string => {
  const labels = labelActors(actors)
  return renderOrders(
    entries.map(({ actor, ...entry }) => ({ ...entry, by: labels.get(actor ?? 0) })),
    viewOf(context),
  )
}

/** Empty if there is only one actor. Adds the hosts if actors differ only in them. */
const labelActors = (actors: ReadonlyMap<number, Actor>): ReadonlyMap<number, string> => {
  if (actors.size <= 1) return new Map()
  const named = [...actors].map(([number, actor]) => ({ ...actor, number, name: actor.role ?? actor.user }))
  const hasHosts = new Set(named.map(({ name }) => name)).size < named.length
  return new Map(named.map(({ number, name, host }) => [number, hasHosts ? `${name}@${host}` : name]))
}

export const revealsScreen = (context: Context, reveals: Parameters<typeof renderReveals>[0]): string =>
  renderReveals(reveals, viewOf(context))
