// Finds references that an order of another journal and an order of this journal both hold.

import { isSameReference } from '../../contract/reference.ts'
import { matchAccounts } from '../accounts.ts'
import type { Statements } from '../database/database.ts'
import { holdingCondition } from '../standings.ts'

/** Compares the orders that were copied from these journals with all other orders. */
export const findConflicts = async (
  { all, dialect }: Statements,
  sources: readonly string[],
): Promise<string[]> => {
  const values = Object.fromEntries(sources.map((source, index) => [`source${index}`, source]))
  const isSource = `source IN (${Object.keys(values)
    .map((name) => `$${name}`)
    .join(', ')})`
  const copied = `SELECT 1 FROM copies WHERE kind = 'order' AND ${isSource} AND copied_as`
  const rows = await all(
    `SELECT DISTINCT one.reference, other.reference AS other_reference
     FROM (SELECT orders.* FROM copies ${dialect.orderedJoin} orders ON orders.number = copied_as
           WHERE ${isSource} AND kind = 'order' AND ${holdingCondition}) AS one
     ${dialect.orderedJoin} accounts AS account ON account.number = one.account
     ${dialect.orderedJoin} orders AS other ${dialect.indexedBy('orders_by_reference')} ON other.reference_fold = one.reference_fold AND other.number <> one.number
     ${dialect.orderedJoin} accounts AS other_account ON other_account.number = other.account
       AND ${matchAccounts('other_account', 'account')}
     WHERE other.${holdingCondition} AND NOT EXISTS (${copied} = other.number)
     ORDER BY one.reference`,
    values,
  )
  const same = rows.filter(({ reference, other_reference }) =>
    isSameReference(String(reference), String(other_reference)),
  )
  return [...new Set(same.map(({ reference }) => String(reference)))]
}
