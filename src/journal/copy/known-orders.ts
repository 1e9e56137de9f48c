// Finds orders that both journals recorded themselves: one placed the order, the other confirmed it by its id.
import { isSameReference } from '../../contract/reference.ts'
import type { Row, Statements, Value } from '../database/database.ts'
import { selectForRows } from '../database/many-rows.ts'
import type { Origin } from './copied-rows.ts'

export type Searched = { readonly origin: Origin; readonly order: Row }

/** Returns the number of the same order in this journal, by position. Each number occurs once. */
export const findKnownOrders = async (
  statements: Statements,
  all: readonly Searched[],
): Promise<ReadonlyMap<number, bigint>> => {
  const { dialect } = statements
  const rows = await selectForRows(
    statements,
    ['BIGINT', 'TEXT', 'BIGINT', 'TEXT'],
    [...all.entries()]
      .filter(([, { order }]) => order.order_id !== null)
      .map(([index, { order, origin }]) => [
        index,
        ...([order.order_id, order.account] as Value[]),
        origin.source,
      ]),
    (list) =>
      `SELECT column1 AS position, orders.number, reference, created_at
       FROM ${list} AS wanted
       ${dialect.orderedJoin} orders ${dialect.indexedBy('orders_by_id')} ON order_id = column2 AND account = column3
       WHERE NOT EXISTS (
         SELECT 1 FROM copies WHERE kind = 'order' AND copied_as = orders.number AND source = column4)
       ORDER BY column1, orders.number`,
  )
  const found = new Map<number, bigint>()
  const taken = new Set<bigint>()
  for (const row of rows) {
    const position = Number(row.position)
    const number = BigInt(String(row.number))
    const order = all[position]?.order
    if (order === undefined || found.has(position) || taken.has(number) || !isSameOrder(order, row)) continue
    found.set(position, number)
    taken.add(number)
  }
  return found
}

/** A service that was reset may use an id twice. */
const isSameOrder = (one: Row, other: Row): boolean =>
  isSameReference(String(one.reference), String(other.reference)) &&
  (one.created_at === null || other.created_at === null || one.created_at === other.created_at)
