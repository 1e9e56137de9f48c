// Looks at the journal once a second for orders whose states another process has recorded there.
import { sandboxAddress } from '../../contract/account-id.ts'
import type { Clock } from '../../contract/clock.ts'
import { listShownOrders, type ShownOrder } from '../../journal/listeners.ts'
import type { Spending } from '../deps.ts'

export type ReadShownOrders = (orderIds: readonly string[]) => Promise<readonly ShownOrder[]>

/** How often a process looks at the journal while it waits. */
export const lookEveryMs = 1_000
/** A timer may end a little early. */
const shortestPauseMs = 0.9 * lookEveryMs
/** How long an answer of the journal counts, for example while its database is unreachable. */
const freshMs = 10_000
/** Orders that a listener receives are also read this often, because a delivery may be lost. */
export const pushedEveryMs = 60_000

type Options = {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Without it, nothing changes. */
  readonly read: ReadShownOrders | undefined
  /** Called for the first state of each order, and for each change. */
  readonly onChange: (order: ShownOrder, before: ShownOrder | undefined) => void
}

export type OrderChanges = {
  /** Does not wait for the journal. Does nothing if it was called less than a second ago. */
  readonly look: (orderIds: Iterable<string>) => void
  /** Whether the service may be asked about the order rarely. `state`: the state of its last answer. */
  readonly isPushed: (orderId: string, state: string | undefined) => boolean
}

/** Undefined for the sandbox, which sends no webhooks. */
export const createShownOrderReader = ({
  journal,
  owner,
}: Pick<Spending, 'journal' | 'owner'>): ReadShownOrders | undefined => {
  const { account } = owner
  if (account.address === sandboxAddress) return undefined
  return (orderIds) => listShownOrders(journal, account, orderIds)
}

export const createOrderChanges = ({ clock, read, onChange }: Options): OrderChanges => {
  let shown: ReadonlyMap<string, ShownOrder> = new Map()
  let shownAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let isLooking = false

  const lookOnce = async (readNow: ReadShownOrders, orderIds: readonly string[]): Promise<void> => {
    const found = await readNow(orderIds)
    const before = shown
    shown = new Map(found.map((order) => [order.orderId, order]))
    shownAt = clock.monotonic()
    for (const order of found) {
      const earlier = before.get(order.orderId)
      if (earlier?.state !== order.state) onChange(order, earlier)
    }
  }

  return {
    look: (orderIds) => {
      const now = clock.monotonic()
      if (read === undefined || isLooking || now - lookedAt < shortestPauseMs) return
      const wanted = [...orderIds]
      if (wanted.length === 0) return
      lookedAt = now
      isLooking = true
      // Without the journal, the answers of the service show each change, only later.
      void lookOnce(read, wanted)
        .catch(() => {})
        .finally(() => {
          isLooking = false
        })
    },
    isPushed: (orderId, state) => {
      const order = shown.get(orderId)
      // If the journal and the service disagree, only an answer helps.
      return order?.isPushed === true && order.state === state && clock.monotonic() - shownAt < freshMs
    },
  }
}
