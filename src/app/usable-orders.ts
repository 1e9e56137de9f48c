// Which orders a command can work with.
import type { Entry } from '../journal/orders/entries.ts'
import { isFinished, isHolding } from '../journal/orders/standings.ts'

type OrderFacts = Pick<Entry, 'standing' | 'result'>

/** By the name of the command. What the journal knows may be outdated. */
const usable = new Map<string, (order: OrderFacts) => boolean>([
  ['confirm', (order) => isHolding(order) && order.standing !== 'confirmed'],
  ['watch', (order) => !isFinished(order)],
  ['reconcile', (order) => !isFinished(order)],
  ['redeem', (order) => isHolding(order) && order.result !== 'failed' && order.result !== 'rejected'],
])

/** Other commands work with every order. */
export const isSelective = (command: string): boolean => usable.has(command)

export const isUsable = (command: string, order: OrderFacts): boolean => usable.get(command)?.(order) ?? true
