// The cards of an order: which are chosen, what every destination of redeem gets, or why there are none.
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../../contract/states.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Reveal } from '../../journal/reveals.ts'
import { maskCode, maskLink } from '../../ui/masking/mask-codes.ts'
import { findSecrets } from '../../ui/masking/mask-tree.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { View } from '../../ui/terminal/view.ts'
import type { Output } from '../shared/output/output.ts'
import type { NumberedCard } from '../shared/select-cards.ts'
import { type RedeemOptions, type ValueKind, valueKinds } from './spec.ts'

export type Delivery = {
  readonly options: RedeemOptions
  /** Only with the SKUs that were chosen. */
  readonly order: Order
  /** With every SKU. */
  readonly whole: Order
  readonly cards: readonly Card[]
  /** The cards that --card selects, or all of them. */
  readonly chosen: readonly NumberedCard[]
  readonly view: View
  readonly output: Output
  /** Records the reveal, then shows the codes. Undefined SKUs: all of `order`. */
  reveal<Result>(
    how: Reveal['how'],
    skus: readonly string[] | undefined,
    show: () => Result,
  ): Promise<Awaited<Result>>
}

export type Deliver = (context: Context, delivery: Delivery) => Promise<void>

/** Keeps only these SKUs; without any, all. Throws if one was not ordered. */
export const selectSkus = (order: Order, skus: readonly string[]): Order => {
  if (skus.length === 0) return order
  const unknown = skus.filter((sku) => !order.products.has(sku))
  if (unknown.length > 0) {
    throw new Failure('usage', `the order does not contain ${unknown.map(sanitize).join(', ')}`, {
      field: '--sku',
      orderId: order.uid,
      fix: `Use a SKU of the order: ${[...order.products.keys()].map(sanitize).join(', ')}`,
    })
  }
  const only = <Value>(map: ReadonlyMap<string, Value>) =>
    new Map([...map].filter(([sku]) => skus.includes(sku)))
  return { ...order, products: only(order.products), redeem: only(order.redeem ?? new Map()) }
}

export const createNoCardsFailure = ({ uid, state, redeem }: Order): Failure => {
  const fail = (kind: Failure['kind'], message: string, fix: Fix, retryable?: true): Failure =>
    new Failure(kind, message, { orderId: uid, fix, retryable })
  const next: Fix = (suggest) => (state === 'created' ? suggest`confirm ${uid}` : suggest`watch ${uid}`)
  const explain: Fix = (suggest) => suggest`get ${uid} --explain`
  const shown = sanitize(state)
  if (!isFinal(state))
    return fail('refused', `the order has no cards yet, because it is ${shown}`, next, true)
  if (!hasRedeemData(state))
    return fail('failed', `the order has no cards, because its final state is ${shown}`, explain)
  if (findSecrets({ redeem }).length === 0)
    return fail('partial', 'the order has no cards for these products', explain)
  const problem = 'the redeem data is in an undocumented form, so it cannot be shown as cards'
  return fail(
    'partial',
    problem,
    (suggest) => `Show the raw data: ${suggest`get ${uid} --json --fields redeem --reveal`}`,
  )
}

export const createMissingValueFailure = ({ chosen, options, order }: Delivery, what: string): Failure => {
  const existing = valueKinds.filter((kind) => chosen.some(({ card }) => card[kind] !== undefined))
  const subject = options.card === undefined ? 'the cards have' : `card ${options.card} has`
  return new Failure('usage', `${subject} no ${what}`, {
    field: '--only',
    orderId: order.uid,
    fix: `Use one of these: ${existing.join(', ')}`,
  })
}

export const maskValue = (kind: ValueKind, value: string): string =>
  kind === 'link' ? maskLink(value) : maskCode(value)

export const skusOf = (cards: readonly Card[]): string[] => [...new Set(cards.map(({ sku }) => sku))]
