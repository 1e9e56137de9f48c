// The part of an order whose cards are asked for, and why there may be none.
import { orderWord } from '../contract/order-word.ts'
import type { Order } from '../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { safeText } from '../ui/safe-text.ts'

/** With the SKUs that are asked for alone; one that was not ordered is a mistake. */
export const narrowed = (order: Order, skus: readonly string[] | undefined): Order => {
  if (skus === undefined) return order
  const unknown = skus.filter((sku) => !order.products.has(sku))
  if (unknown.length > 0) {
    throw new Failure('usage', `not in this order: ${unknown.map(safeText).join(', ')}`, {
      field: '--sku',
      orderId: order.uid,
      fix: `It has ${[...order.products.keys()].map(safeText).join(', ')}.`,
    })
  }
  const wanted = new Set(skus)
  const only = <Value>(map: ReadonlyMap<string, Value>) =>
    new Map([...map].filter(([sku]) => wanted.has(sku)))
  return { ...order, products: only(order.products), redeem: only(order.redeem ?? new Map()) }
}

export const noCards = (order: Order): Failure => {
  const { uid, state } = order
  if (!isFinal(state)) {
    return new Failure('refused', `the order has no cards yet: it is ${safeText(state)}`, {
      orderId: uid,
      fix: state === 'created' ? `orderctl confirm ${orderWord(uid)}` : `orderctl watch ${orderWord(uid)}`,
      retryable: true,
    })
  }
  if (!hasRedeemData(state)) {
    return new Failure('failed', `the order ended ${safeText(state)}: it has no cards`, {
      orderId: uid,
      fix: `orderctl get ${orderWord(uid)} --explain`,
    })
  }
  return new Failure('partial', 'no card came for what was asked', {
    orderId: uid,
    fix: `orderctl get ${orderWord(uid)} --explain`,
  })
}
