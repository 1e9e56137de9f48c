// The screens of list. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { Entry } from '../../journal/entry.ts'
import { renderOrders, renderReveals } from '../../ui/screens/orders.ts'
import { viewOf } from '../shared/output/view-of.ts'

export const ordersScreen = (context: Context, entries: readonly Entry[]): string =>
  renderOrders(
    entries.map(({ state, ...entry }) => ({ ...entry, state })),
    viewOf(context),
  )

export const revealsScreen = (context: Context, reveals: Parameters<typeof renderReveals>[0]): string =>
  renderReveals(reveals, viewOf(context))
