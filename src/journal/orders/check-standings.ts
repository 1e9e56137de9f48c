// For doctor: compares the standings of orders with what their calls and columns give. A script with SQL may have
// changed one. The owner of the tables can also write the columns that follow from a standing.
import type { Row } from '../database/database.ts'
import { calls as callTable } from '../tables/orders.ts'
import { findStanding } from './apply.ts'
import type { Call, Damage, Entry } from './entry.ts'
import { fromRow } from './row.ts'
import { orderConditions } from './standings.ts'

/** How many of the newest orders are checked, besides those that are not finished. */
const sampledOrders = 1_000

const checked = `SELECT number FROM orders WHERE NOT finished
  UNION SELECT number FROM orders WHERE number > (SELECT max(number) FROM orders) - ${sampledOrders}`
const changes = Object.entries(orderConditions).map(([name, sql]) => `${name} IS DISTINCT FROM (${sql})`)
/** `limit`: how many of the newest of them. */
export const checkedOrders = (limit: number): { readonly orders: string; readonly calls: string } => {
  const numbers = `SELECT number FROM (${checked}) AS checked ORDER BY number DESC LIMIT ${limit}`
  return {
    orders: `SELECT *, ${changes.join(' OR ')} AS is_changed FROM orders WHERE number IN (${numbers}) ORDER BY number`,
    calls: `SELECT * FROM calls WHERE order_number IN (${numbers}) ORDER BY number`,
  }
}

/** A message for each difference. */
export const findWrongStandings = (orders: readonly Row[], calls: readonly Row[]): string[] => {
  const callsOf = Map.groupBy(
    calls.map((row) => fromRow<Call>(row, callTable)),
    ({ orderNumber }) => orderNumber,
  )
  return orders.flatMap((row) => {
    const entry = fromRow<Entry & Damage>(row)
    const { number, orderId, standing, damage = [] } = entry
    const name = orderId === undefined ? `order without an id (entry ${number})` : `order ${orderId}`
    if (damage.includes('standing')) return [`the standing of the ${name} cannot be read`]
    if (Number(row.is_changed) === 1) return [`the ${name} has columns that contradict its standing`]
    const derived = findStanding({ entry, calls: callsOf.get(number) ?? [] })
    return derived === standing
      ? []
      : [`the ${name} is recorded as ${standing}, but its history says ${derived}`]
  })
}
