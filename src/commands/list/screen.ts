// The screens of list. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { Entry } from '../../journal/entry.ts'
import { ordersText, revealsText } from '../../ui/screens/orders.ts'
import { viewOf } from '../shared/view-of.ts'

export const ordersScreen = (context: Context, entries: readonly Entry[]): string =>
  ordersText(
    entries.map(({ state, ...entry }) => ({ ...entry, state })),
    viewOf(context),
  )

export const revealsScreen = (context: Context, reveals: Parameters<typeof revealsText>[0]): string =>
  revealsText(reveals, viewOf(context))
