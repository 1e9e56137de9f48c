// What every destination of redeem gets: the order with the chosen SKUs, its cards, and the one function that reveals them.
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Reveal } from '../../journal/reveals.ts'
import type { View } from '../../ui/terminal/view.ts'
import type { Output } from '../shared/output/output.ts'
import type { RedeemOptions } from './spec.ts'

export type Delivery = {
  readonly options: RedeemOptions
  /** Only with the SKUs that were chosen. */
  readonly order: Order
  /** With every SKU. */
  readonly whole: Order
  readonly cards: readonly Card[]
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

export type Destination = { readonly deliver: Deliver; readonly close?: () => void | Promise<void> }
