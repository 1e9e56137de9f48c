// Counts orders, cards and amounts of one currency.

import { type Amount, addAmounts, noAmount, toDecimal } from '../../contract/report/amount.ts'
import type { Charge, DoubtfulKind, Figures } from '../../contract/report/report.ts'
import type { ChargeKind } from '../../journal/charge-groups.ts'

/** What some orders have in common. */
export type Share = {
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  readonly duplicates: number
  readonly amount: Amount
}

export type Tally = Readonly<Record<ChargeKind, Counter>>

type Counter = { -readonly [Field in keyof Share]: Share[Field] }

const createCounter = (): Counter => ({ orders: 0, cards: 0, delivered: 0, duplicates: 0, amount: noAmount })

export const createTally = (): Tally => ({
  successful: createCounter(),
  failed: createCounter(),
  partial: createCounter(),
  open: createCounter(),
  unknown: createCounter(),
})

export const addShare = (tally: Tally, kind: ChargeKind, share: Share): void => {
  const counter = tally[kind]
  counter.orders += share.orders
  counter.cards += share.cards
  counter.delivered += share.delivered
  counter.duplicates += share.duplicates
  counter.amount = addAmounts(counter.amount, share.amount)
}

/** Unknown orders are not part of what was charged. */
export const toFigures = (tally: Tally): Figures => {
  const charged = [tally.successful, tally.failed, tally.partial, tally.open]
  const count = (field: 'orders' | 'cards' | 'delivered' | 'duplicates'): number =>
    charged.reduce((sum, counter) => sum + counter[field], 0)
  const toCharge = (kind: DoubtfulKind): Charge => ({
    orders: tally[kind].orders,
    charged: toDecimal(tally[kind].amount),
  })
  return {
    orders: count('orders'),
    cards: count('cards'),
    delivered: count('delivered'),
    duplicates: count('duplicates'),
    charged: toDecimal(charged.map(({ amount }) => amount).reduce(addAmounts)),
    failed: toCharge('failed'),
    partial: toCharge('partial'),
    open: toCharge('open'),
    unknown: toCharge('unknown'),
  }
}
