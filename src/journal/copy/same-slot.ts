// Two orders of one slot, one in each journal: only one of them may still be bought.
import type { WriteAccess } from '../access.ts'
import type { Row, Value } from '../database/database.ts'
import { selectForRows } from '../database/many-rows.ts'
import { committedCondition, liveCondition, moveOrder } from '../orders/standings.ts'
import type { CopyTarget } from './copied-rows.ts'

/** A batch with two orders of one slot that may both have spent. */
export type Clash = { readonly batch: string; readonly orders: readonly [source: string, target: string] }

type InSlot = { readonly batch: bigint; readonly slot: bigint }

const isInSlot = (order: Row): order is Row & InSlot => order.batch !== null

const keysOf = (orders: readonly Row[]): Value[][] =>
  orders.filter(isInSlot).map(({ batch, slot }) => [batch, slot])

/**
 * Until the end of the transaction, no other process confirms an order of these slots: its confirm then sees the copied
 * orders. Locks orders before batches, as a confirm does.
 */
export const lockSlots = async ({ access }: CopyTarget, orders: readonly Row[]): Promise<void> => {
  const { all, dialect } = access
  const live = await selectForRows(
    access,
    ['BIGINT', 'BIGINT'],
    keysOf(orders),
    (list) =>
      `SELECT orders.number FROM ${list} AS wanted
       ${dialect.orderedJoin} orders ON orders.batch = column1 AND orders.slot = column2 WHERE ${liveCondition}`,
  )
  const lock = (table: string, numbers: readonly Value[]) =>
    all(
      `SELECT 1 FROM ${table} WHERE number IN (${[0, ...numbers].join(', ')}) ORDER BY number ${dialect.forUpdate}`,
    )
  const liveNumbers = live.map(({ number }) => number as bigint)
  await lock('orders', liveNumbers)
  await lock('batches', [...new Set(orders.filter(isInSlot).map(({ batch }) => batch))])
}

/** `numberOf` returns the number here of an order in the source. The caller has locked the slots. */
export const findClashes = async (
  { access }: CopyTarget,
  orders: readonly Row[],
  numberOf: (order: unknown) => unknown,
): Promise<Clash[]> => {
  const { dialect } = access
  const rows = await selectForRows(
    access,
    ['BIGINT', 'BIGINT', 'BIGINT', 'TEXT'],
    orders
      .filter(isInSlot)
      .filter(({ standing }) => standing === 'confirmed')
      .map(({ batch, slot, number, order_id }) => [batch, slot, numberOf(number), order_id] as Value[]),
    (list) =>
      `SELECT batches.name, column4 AS copied, orders.order_id FROM ${list} AS wanted
       ${dialect.orderedJoin} orders ON orders.batch = column1 AND orders.slot = column2
       ${dialect.orderedJoin} batches ON batches.number = column1
       WHERE ${committedCondition} AND orders.number <> column3 AND orders.order_id IS DISTINCT FROM column4
       ORDER BY column1, column2, orders.number`,
  )
  return rows.map(({ name, copied, order_id }) => ({
    batch: String(name),
    orders: [String(copied), String(order_id)],
  }))
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

/** Returns the orders as they are inserted. The unconfirmed order becomes void: the new order, or the target's. */
export const makeRoom = async ({ access }: CopyTarget, orders: readonly Row[]): Promise<Row[]> => {
  const rows = await selectForRows(
    access,
    ['BIGINT', 'BIGINT'],
    keysOf(orders),
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
