// How many orders of a run may wait for their cards. A service that fails every order is noticed before many are bought.

const fewest = 16
export const mostWaiting = 500

export type DeliveryLimit = ReturnType<typeof createDeliveryLimit>

export const createDeliveryLimit = () => {
  let limit = fewest
  let successes = 0
  return {
    limit: (): number => limit,
    /** Twice as many may wait when as many have become successful. Half as many after an order that failed. */
    record: (isSuccess: boolean): void => {
      successes = isSuccess ? successes + 1 : 0
      if (!isSuccess) limit = Math.max(1, Math.floor(limit / 2))
      if (successes < limit) return
      limit = Math.min(limit * 2, mostWaiting)
      successes = 0
    },
  }
}
