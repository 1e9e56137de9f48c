// Looks at the journal once a second for orders whose states another process has recorded there.
import { sandboxAddress } from '../../contract/account-id.ts'
import type { Clock } from '../../contract/clock.ts'
import { listShownOrders, type ShownOrder } from '../../journal/orders/list-orders.ts'
import type { Session } from '../session.ts'

export type ReadShownOrders = (orderIds: readonly string[]) => Promise<readonly ShownOrder[]>

/** How often a process looks at the journal while it waits. */
export const lookEveryMs = 1_000
/** A timer may end a little early. */
const shortestPauseMs = 0.9 * lookEveryMs

type Options = {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Without it, nothing changes. */
  readonly read: ReadShownOrders | undefined
  /** Called for the first state of each order, and for each change. */
  readonly onChange: (order: ShownOrder, before: ShownOrder | undefined) => void
}

/** Undefined for the sandbox, which runs in this process and needs no hints. */
export const createShownOrderReader = ({
  journal,
  owner,
}: Pick<Session, 'journal' | 'owner'>): ReadShownOrders | undefined => {
  const { account } = owner
  if (account.address === sandboxAddress) return undefined
  return (orderIds) => listShownOrders(journal, account, orderIds)
}

/** Returns a function that does not wait for the journal, and does nothing if it was called less than a second ago. */
export const createOrderChanges = ({ clock, read, onChange }: Options): ((ids: Iterable<string>) => void) => {
  let shown: ReadonlyMap<string, ShownOrder> = new Map()
  let lookedAt = Number.NEGATIVE_INFINITY
  let isLooking = false

  const compare = (found: readonly ShownOrder[]): void => {
    const before = shown
    shown = new Map(found.map((order) => [order.orderId, order]))
    for (const order of found) {
      const earlier = before.get(order.orderId)
      if (earlier?.state !== order.state) onChange(order, earlier)
    }
  }

  return (orderIds) => {
    const now = clock.monotonic()
    const wanted = [...orderIds]
    if (read === undefined || isLooking || now - lookedAt < shortestPauseMs || wanted.length === 0) return
    lookedAt = now
    isLooking = true
    // Without the journal, the responses of the service show each change, only later.
    void read(wanted)
      .then(compare)
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }
}
