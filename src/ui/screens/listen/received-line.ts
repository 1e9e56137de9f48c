// The lines that `orderctl listen` prints: one for each delivery.
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { formatAge, formatClock } from '../../text/time.ts'
import { stateText } from '../state.ts'

type Received = {
  readonly orderId: string
  /** When the delivery was received. */
  readonly at: number
}

type Shown = Received & {
  readonly state: string
  readonly products: string
  readonly createdAt: number
}

/** '2026-11-20 20:54:05 UTC  ord_1  ✓ successful  2 × GAME-US 25  3 s' */
export const renderReceived = ({ state, products, createdAt, ...received }: Shown, view: View): string =>
  renderLine(received, view, [
    stateText(state, view.theme),
    sanitize(products),
    view.theme.quiet(formatAge(createdAt, view.now)),
  ])

export const renderUnknown = (received: Received, view: View): string =>
  renderLine(received, view, [view.theme.warning('? the service does not know this order')])

export const renderDuplicate = (received: Received, view: View): string =>
  renderLine(received, view, [view.theme.quiet('received again')])

const renderLine = ({ orderId, at }: Received, view: View, cells: readonly string[]): string =>
  `${[view.theme.quiet(formatClock(at, view)), sanitize(orderId), ...cells].filter((cell) => cell !== '').join('  ')}\n`
