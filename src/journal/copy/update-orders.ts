// Writes merged orders, and the calls that changed.
import type { Statements } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { CopiedColumn } from '../tables/list.ts'
import { fixedColumns, type MergedOrder } from './merge-order.ts'
import { listColumns, toValues } from './numbers.ts'

const texts: readonly string[] = ['order_id', 'request', 'total', 'wallet', 'standing']

const orderColumns: readonly CopiedColumn[] = [
  ...listColumns(
    'BIGINT',
    'number confirms duplicate changed_at confirmed_at unconfirmed_at reserved_at cards delivered seen_at',
  ),
  ...listColumns('TEXT', 'standing void_reason service_state result products charged'),
]
const fixed: readonly CopiedColumn[] = fixedColumns.map((name) => [
  name,
  texts.includes(name) ? 'TEXT' : 'BIGINT',
])

const callColumns: readonly CopiedColumn[] = [
  ...listColumns('BIGINT', 'number answered_at status settled_at'),
  ...listColumns('TEXT', 'outcome refusal settled settled_by reason'),
]

/** Returns the number of orders that change. */
export const updateOrders = async (
  statements: Statements,
  merged: readonly MergedOrder[],
): Promise<number> => {
  const orders = merged.map(({ order }) => order).filter((order) => order !== undefined)
  const columns = [...orderColumns, ...fixed]
  await runForRows(
    statements,
    columns.map(([, kind]) => kind),
    orders.map((order) => toValues(order, columns)),
    (list) => `UPDATE orders SET ${createAssignments(columns, 'orders')} FROM ${list} AS merged
       WHERE number = column1`,
  )
  await runForRows(
    statements,
    callColumns.map(([, kind]) => kind),
    merged.flatMap(({ updates }) => updates.map((call) => toValues(call, callColumns))),
    (list) => `UPDATE calls SET ${createAssignments(callColumns, 'calls')} FROM ${list} AS merged
       WHERE number = column1`,
  )
  return merged.filter(
    ({ order, updates, inserts }) => order !== undefined || updates.length + inserts.length > 0,
  ).length
}

/** All columns but the first, which is the number. */
const createAssignments = (columns: readonly CopiedColumn[], table: string): string =>
  columns
    .flatMap(([name], index) => {
      if (index === 0) return []
      const isFixed = fixed.some(([each]) => each === name)
      return [
        `${name} = ${isFixed ? `coalesce(${table}.${name}, column${index + 1})` : `column${index + 1}`}`,
      ]
    })
    .join(', ')
