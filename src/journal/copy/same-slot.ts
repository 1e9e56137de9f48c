// Two orders of one slot, one in each journal: only one of them may still be bought.
import type { WriteAccess } from '../access.ts'
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
  { access, findCopies }: CopyTarget,
  { number, name }: Row,
  here: bigint,
): Promise<Clash | undefined> => {
  const theirs = await source.readRows(orderTable, `WHERE batch = ${number} AND ${committedCondition}`)
  const copies = await findCopies(orderTable, theirs)
  const ours = Map.groupBy(
    await access.all(
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

/** Makes the orders of the slot void that were not confirmed, except one. */
export const giveWay = async (
  access: WriteAccess,
  { batch, slot, number }: Readonly<Record<'batch' | 'slot' | 'number', Value>>,
  at: number,
): Promise<void> => {
  const others = await access.all(
    `SELECT number FROM orders WHERE batch = $batch AND slot = $slot AND number <> $number AND ${liveCondition}`,
    { batch, slot, number },
  )
  for (const other of others) {
    await moveOrder(access, Number(other.number), 'not-created', { at, reason: 'lost' })
    await moveOrder(access, Number(other.number), 'unwanted', { at })
  }
}

/** Returns the orders as they are inserted. What was not confirmed gives way: the new order, or that of the target. */
export const makeRoom = async ({ access }: CopyTarget, orders: readonly Row[]): Promise<Row[]> => {
  const rows = await selectForRows(
    access,
    ['BIGINT', 'BIGINT'],
    orders.filter(({ batch }) => batch !== null).map(({ batch, slot }) => [batch, slot] as Value[]),
    (list) =>
      `SELECT orders.batch, orders.slot FROM ${list} AS wanted
       ${access.dialect.orderedJoin} orders ON orders.batch = column1 AND orders.slot = column2
       WHERE ${liveCondition}`,
  )
  const live = new Set(rows.map((row) => `${row.batch} ${row.slot}`))
  const inserted: Row[] = []
  for (const order of orders) {
    const { batch, slot, standing, changed_at: at } = order
    const isTaken = live.has(`${batch} ${slot}`)
    if (isTaken && standing === 'confirmed')
      await giveWay(access, { batch: batch as Value, slot: slot as Value, number: 0 }, Number(at))
    const isUnconfirmed = standing === 'creating' || standing === 'pending'
    inserted.push(isTaken && isUnconfirmed ? { ...order, standing: 'void', void_reason: 'unwanted' } : order)
  }
  return inserted
}
