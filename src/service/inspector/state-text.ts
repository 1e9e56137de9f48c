// What the inspector shows of the service's state, without codes.
import type { Clock } from '../../contract/clock.ts'
import { writeJson } from '../../contract/json.ts'
import { describeWallets, summarizeOrder } from '../control.ts'
import type { FaultList } from '../faults/inject.ts'
import type { Store } from '../store.ts'
import type { OrderRow } from '../stored-orders.ts'

export type StateParts = {
  readonly store: Store
  readonly clock: Clock
  readonly faults: FaultList
  readonly refresh: (row: OrderRow) => OrderRow
}

const shownOrders = 50
const shownDeliveries = 50

/** The JSON without the time, so that equal states have equal texts. */
export const writeState = ({ store, faults, refresh }: StateParts): string =>
  writeJson({
    clockOffsetMs: store.readClockOffset(),
    wallets: describeWallets(store),
    stock: store.listStock(),
    orders: store.transaction(() => store.orders.listNewest(shownOrders).map(refresh)).map(describeOrder),
    deliveries: store.deliveries.list({ limit: shownDeliveries }),
    faults: faults.list(),
  })

/** The JSON of an order with its webhooks. Undefined if no order has this id. */
export const writeOrderState = ({ store, refresh }: StateParts, id: string): string | undefined => {
  const row = store.orders.find(id)
  return row && writeJson({ ...describeOrder(refresh(row)), deliveries: store.deliveries.listOf(id) })
}

const describeOrder = (row: OrderRow) => ({
  ...summarizeOrder(row),
  processingAt: row.processing_at === null ? null : new Date(row.processing_at).toISOString(),
})
