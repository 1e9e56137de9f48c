// Two orders of one slot, one in each journal: only one of them may still be bought.
import type { Row, Value } from '../database/database.ts'
import { selectForRows } from '../database/many-rows.ts'
import { committedCondition, liveCondition, moveOrder } from '../orders/standings.ts'
import { orders as orderTable } from '../tables/orders.ts'
import type { CopySource, CopyTarget } from './copied-rows.ts'

/** A batch with two orders of one slot that may both have spent. */
export type Clash = { readonly batch: string; readonly orders: readonly [source: string, target: string] }

/** `here`: the number of the batch in the target. */
export const findClash = async (
  source: CopySource,
  { statements, findCopies }: CopyTarget,
  { number, name }: Row,
  here: bigint,
): Promise<Clash | undefined> => {
  const theirs = await source.readRows(orderTable, `WHERE batch = ${number} AND ${committedCondition}`)
  const copies = await findCopies(orderTable, theirs)
  const ours = Map.groupBy(
    await statements.all(
      `SELECT number, order_id, slot FROM orders WHERE batch = $here AND ${committedCondition}`,
      { here },
    ),
    ({ slot }) => slot,
  )
  for (const order of theirs) {
    const copy = copies.get(order.number)?.number
    const other = ours
      .get(order.slot)
      ?.find((each) => each.number !== copy && each.order_id !== order.order_id)
    if (other !== undefined)
      return { batch: String(name), orders: [String(order.order_id), String(other.order_id)] }
  }
  return undefined
}

/** Returns the orders as they are inserted. What was not confirmed gives way: the new order, or that of the target. */
export const makeRoom = async (
  { statements }: CopyTarget,
  orders: readonly Row[],
  at: number,
): Promise<Row[]> => {
  const rows = await selectForRows(
    statements,
    ['BIGINT', 'BIGINT'],
    orders.filter(({ batch }) => batch !== null).map(({ batch, slot }) => [batch, slot] as Value[]),
    (list) =>
      `SELECT orders.number, orders.batch, orders.slot, orders.standing FROM ${list} AS wanted
       ${statements.dialect.orderedJoin} orders ON orders.batch = column1 AND orders.slot = column2
       WHERE ${liveCondition}`,
  )
  const live = new Map(rows.map((row) => [`${row.batch} ${row.slot}`, row]))
  const inserted: Row[] = []
  for (const order of orders) {
    const ours = live.get(`${order.batch} ${order.slot}`)
    const isUnconfirmed = order.standing === 'creating' || order.standing === 'pending'
    if (ours !== undefined && order.standing === 'confirmed') {
      const number = Number(ours.number)
      await moveOrder(statements, number, 'not-created', { at, reason: 'lost' })
      await moveOrder(statements, number, 'unwanted', { at })
    }
    inserted.push(
      ours !== undefined && isUnconfirmed ? { ...order, standing: 'void', void_reason: 'unwanted' } : order,
    )
  }
  return inserted
}
