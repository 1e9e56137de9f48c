// The orders that wait for a check. Those of the journal come first, so that a flood of other ids does not delay them.

export type Check = {
  readonly orderId: string
  /** The number of the delivery in the journal. */
  readonly number: number
  /** Whether the journal has the order. */
  readonly isOwn: boolean
  /** When the delivery was received. */
  readonly at: number
  readonly deliveryId: string | undefined
  /** The state that the delivery names. */
  readonly state?: string | undefined
}

export type WaitingCheck = {
  readonly check: Check
  /** The number of failed attempts. */
  readonly tries: number
  /** By the monotonic clock. */
  readonly dueAt: number
}

export const createWaitingChecks = () => {
  const own = new Map<string, WaitingCheck>()
  const other = new Map<string, WaitingCheck>()

  return {
    /** The number of orders that the journal does not have. */
    countOther: (): number => other.size,

    add: (waiting: WaitingCheck): void => {
      const { orderId, isOwn, number } = waiting.check
      const queue = isOwn ? own : other
      const earlier = queue.get(orderId)
      // One answer serves all deliveries of an order that were received before it.
      if (earlier === undefined || earlier.check.number < number) queue.set(orderId, waiting)
    },

    /** Removes and returns the next one. Undefined if none is due. */
    takeDue: (now: number): WaitingCheck | undefined => {
      for (const queue of [own, other]) {
        for (const [orderId, waiting] of queue) {
          if (waiting.dueAt > now) continue
          queue.delete(orderId)
          return waiting
        }
      }
      return undefined
    },

    /** When the first one is due. Infinity if there is none. */
    findNextDue: (): number => {
      let first = Number.POSITIVE_INFINITY
      for (const queue of [own, other]) {
        for (const { dueAt } of queue.values()) first = Math.min(first, dueAt)
      }
      return first
    },
  }
}
