// Copies orders with their calls, some hundred in one transaction.
import type { Row, Statements } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { listCopiedColumns } from '../tables/list.ts'
import { calls as callsTable, orders as ordersTable } from '../tables/orders.ts'
import type { RunTransaction } from '../tables.ts'
import { findCopies, insertCopies, readOrigin, rememberCopies, selectOrigins } from './copied-rows.ts'
import type { CopyCounts } from './counts.ts'
import { findKnownOrders } from './known-orders.ts'
import { mergeOrder, type StoredOrder } from './merge-order.ts'
import { type Numbers, toValues } from './numbers.ts'
import type { CopySource } from './source.ts'
import { updateOrders } from './update-orders.ts'

const orderColumns = listCopiedColumns(ordersTable)
const callColumns = listCopiedColumns(callsTable)

const ordersAtOnce = 500

export type OrderCounts = Pick<CopyCounts, 'orders' | 'calls' | 'updated'>

/** Calls `onCopied` after each transaction. */
export const copyOrders = async (
  source: CopySource,
  runTransaction: RunTransaction,
  numbers: Numbers,
  onCopied: (counts: OrderCounts) => void,
): Promise<void> => {
  for (let after: unknown = 0n; ; ) {
    const found = await readOrders(source, numbers, after)
    if (found.length === 0) return
    onCopied(await runTransaction(({ statements }) => copyChunk(statements, source, found)))
    after = found.at(-1)?.number
  }
}

type SourceOrder = StoredOrder & { readonly number: unknown }

/** With the numbers that the target has for their accounts, batches and actors. */
const readOrders = async (
  source: CopySource,
  { accounts, batches, actors }: Numbers,
  after: unknown,
): Promise<SourceOrder[]> => {
  const orders = await source.all(
    `${selectOrigins('order', `rows.number > ${after} AND account IN (${[...accounts.keys()].join(', ')})`)}
     LIMIT ${ordersAtOnce}`,
  )
  const first = orders[0]?.number ?? 0n
  const last = orders.at(-1)?.number ?? 0n
  const range = `order_number BETWEEN ${first} AND ${last}`
  const readBy = async (sql: string) => Map.groupBy(await source.all(sql), (row) => row.order_number)
  const calls = await readBy(`SELECT * FROM calls WHERE ${range} ORDER BY number`)
  return orders.map((order) => ({
    number: order.number,
    order: {
      ...order,
      account: accounts.get(order.account),
      batch: batches.get(order.batch) ?? null,
      actor: actors.get(order.actor) ?? null,
    },
    calls: (calls.get(order.number) ?? []).map((call) => ({
      ...call,
      actor: actors.get(call.actor) ?? null,
    })),
  }))
}

const copyChunk = async (
  statements: Statements,
  { id }: CopySource,
  all: readonly SourceOrder[],
): Promise<OrderCounts> => {
  const origins = all.map(({ order }) => readOrigin('order', order, id))
  const copies = await findCopies(statements, 'order', origins)
  const unknown = [...all.entries()].flatMap(([index, { order }]) => {
    const origin = origins[index]
    return copies[index] === undefined && origin !== undefined ? [{ index, origin, order }] : []
  })
  const known = [...(await findKnownOrders(statements, unknown))].flatMap(([position, number]) => {
    const searched = unknown[position]
    return searched === undefined ? [] : [{ ...searched, number }]
  })
  await rememberCopies(statements, 'order', known)
  for (const { index, number } of known) copies[index] = number
  const targets = await readTargets(
    statements,
    copies.filter((number) => number !== undefined),
  )
  const fresh = all.flatMap((each, index) => {
    const origin = origins[index]
    return copies[index] === undefined && origin !== undefined ? [{ ...each, origin }] : []
  })
  const added = await insertCopies(
    statements,
    'order',
    orderColumns,
    fresh.map(({ origin, order }) => ({ origin, values: toValues(order, orderColumns) })),
  )
  const merged = all.flatMap((each, index) => {
    const target = targets.get(copies[index])
    return target === undefined ? [] : [{ ...mergeOrder(target, each), number: copies[index] }]
  })
  const updated = await updateOrders(statements, merged)
  const calls = [
    ...fresh.flatMap((each, index) => each.calls.map((call) => withOrder(call, added[index]))),
    ...merged.flatMap(({ inserts, number }) => inserts.map((call) => withOrder(call, number))),
  ]
  await insertCalls(statements, calls)
  return { orders: fresh.length, calls: calls.length, updated }
}

const withOrder = (row: Row, order: bigint | undefined): Row => ({ ...row, order_number: order })

/** The orders of the target by number, locked. */
const readTargets = async (
  statements: Statements,
  numbers: readonly bigint[],
): Promise<ReadonlyMap<unknown, StoredOrder>> => {
  const rows = numbers.map((number) => [number])
  const orders = await selectForRows(
    statements,
    ['BIGINT'],
    rows,
    (list) =>
      `SELECT * FROM orders WHERE number IN (SELECT column1 FROM ${list} AS wanted)
       ORDER BY number ${statements.dialect.forUpdate}`,
  )
  const calls = await selectForRows(
    statements,
    ['BIGINT'],
    rows,
    (list) =>
      `SELECT * FROM calls WHERE order_number IN (SELECT column1 FROM ${list} AS wanted) ORDER BY number`,
  )
  const byOrder = Map.groupBy(calls, ({ order_number }) => order_number)
  return new Map(orders.map((order) => [order.number, { order, calls: byOrder.get(order.number) ?? [] }]))
}

const insertCalls = async (statements: Statements, calls: readonly Row[]): Promise<void> => {
  const names = callColumns.map(([name]) => name).join(', ')
  const values = callColumns.map((_, index) => `column${index + 2}`).join(', ')
  await runForRows(
    statements,
    ['BIGINT', ...callColumns.map(([, kind]) => kind)],
    calls.map((call, index) => [index, ...toValues(call, callColumns)]),
    (list) => `INSERT INTO calls (${names}) SELECT ${values} FROM ${list} AS rows ORDER BY column1`,
  )
}
