// The part of an order whose cards are asked for, and why there may be none.

import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { shellWord } from '../../text/shell-word.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { type Asked, kinds } from './options.ts'

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

export const noCards = async (order: Order): Promise<Failure> => {
  const { uid, state, redeem } = order
  if (!isFinal(state)) {
    return new Failure('refused', `the order has no cards yet: it is ${safeText(state)}`, {
      orderId: uid,
      fix: state === 'created' ? `orderctl confirm ${shellWord(uid)}` : `orderctl watch ${shellWord(uid)}`,
      retryable: true,
    })
  }
  if (!hasRedeemData(state)) {
    return new Failure('failed', `the order ended ${safeText(state)}: it has no cards`, {
      orderId: uid,
      fix: `orderctl get ${shellWord(uid)} --explain`,
    })
  }
  const { secretsIn } = await import('../../ui/masking/mask-known.ts')
  if (secretsIn({ redeem }).length > 0) {
    return new Failure(
      'partial',
      'what came is in no shape that is documented: it cannot be shown as cards',
      {
        orderId: uid,
        fix: `As it came: orderctl get ${shellWord(uid)} --json --fields redeem --reveal`,
      },
    )
  }
  return new Failure('partial', 'no card came for what was asked', {
    orderId: uid,
    fix: `orderctl get ${shellWord(uid)} --explain`,
  })
}

/** With the numbers that they have in the whole list; the one alone that is asked for. */
export const chosenCards = ({
  cards,
  wanted,
  order,
}: Asked): readonly { readonly number: number; readonly card: Card }[] => {
  const numbered = cards.map((card, index) => ({ number: index + 1, card }))
  if (wanted.card === undefined) return numbered
  const found = numbered.filter(({ number }) => number === wanted.card)
  if (found.length > 0) return found
  throw new Failure('usage', `there is no card ${wanted.card}`, {
    field: '--card',
    orderId: order.uid,
    fix: `There are 1 to ${cards.length}, in the order in which redeem lists them.`,
  })
}

export const noSuchValue = (cards: readonly Card[], what: string, orderId: string): Failure => {
  const there = kinds.filter((each) => cards.some((card) => card[each] !== undefined))
  return new Failure('usage', `the cards have no ${what}`, {
    field: '--only',
    orderId,
    fix: `They have: ${there.join(', ')}.`,
  })
}

/** For the journal. */
export const skusOf = (cards: readonly Card[]): ReadonlyMap<string, unknown> =>
  new Map(cards.map(({ sku }) => [sku, undefined]))
