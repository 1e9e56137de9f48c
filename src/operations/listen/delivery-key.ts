// Recognises a delivery that was received before.

type Facts = {
  /** The id that the sender gave to the delivery. */
  readonly deliveryId: string | undefined
  readonly orderId: string
  /** The state that the delivery names. */
  readonly state: string | undefined
}

/** Two deliveries with the same key are the same. Undefined if nothing tells the delivery from others. */
export const createDeliveryKey = ({ deliveryId, orderId, state }: Facts): string | undefined => {
  if (deliveryId !== undefined) return `id ${deliveryId}`
  return state === undefined ? undefined : `order ${state} ${orderId}`
}
