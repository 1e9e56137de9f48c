// The live lines of watched orders: one for a single order; for several, one each and a summary.
import type { Context } from '../../../context.ts'
import { formatDecimal } from '../../../contract/decimal.ts'
import type { Order } from '../../../contract/schemas.ts'
import { renderChange, renderWatched } from '../../../ui/screens/order-line.ts'
import { createLive } from '../../../ui/terminal/live.ts'
import { themeFor } from '../../../ui/terminal/view.ts'
import { describeProducts } from '../../../ui/text/amounts.ts'

type Watched = { readonly state: string; readonly products: string }

export const createWatchScreen = (
  { stderr, clock }: Pick<Context, 'stderr' | 'clock'>,
  orderIds: readonly string[],
  { isOn, forState }: { readonly isOn: boolean; readonly forState: string | undefined },
) => {
  const live = createLive(stderr, isOn)
  const goal = forState === undefined ? 'final' : `${forState} or later`
  const started = clock.monotonic()
  const ids = [...new Set(orderIds)]
  const ended = new Map<string, number>()
  const seen = new Map<string, Watched>()

  const readOrders = () =>
    ids.flatMap((id) => {
      const order = seen.get(id)
      if (order === undefined) return []
      const endedAt = ended.get(id)
      const ms = (endedAt ?? clock.monotonic()) - started
      return [{ id, ...order, ms, isOver: endedAt !== undefined }]
    })

  return {
    isOn,
    isEmpty: (): boolean => seen.size === 0,
    clear: live.clear,
    add: ({ uid, state, products }: Order): void => {
      const ordered = [...products].map(([sku, { request }]) => ({
        sku,
        quote: formatDecimal(request.quote),
        ordered: request.quantity,
      }))
      seen.set(uid, { state, products: describeProducts(ordered) })
    },
    /** For an order that was added. */
    change: (orderId: string, state: string): void => {
      const known = seen.get(orderId)
      if (known !== undefined) seen.set(orderId, { ...known, state })
    },
    end: (orderId: string): void => void ended.set(orderId, clock.monotonic()),
    draw: (): void => {
      const theme = themeFor(stderr)
      const orders = readOrders()
      // The cursor stands in the row below the last line.
      const rows = stderr.height - 1
      live.show(
        ids.length === 1
          ? orders.map((order) => renderChange(order, theme))
          : renderWatched(orders, { total: ids.length, goal, rows, theme }),
      )
    },
  }
}
