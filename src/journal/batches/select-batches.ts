// Reads batches, with the people who planned and cancelled them.
import type { AccountId } from '../../contract/account-id.ts'
import { foldReference } from '../../contract/reference.ts'
import type { Statements, Values } from '../database/database.ts'
import type { Tables } from '../tables.ts'
import type { Batch } from './batch.ts'
import { readBatch } from './batch-rows.ts'

/** Batches with the people who planned and cancelled them. */
const plannedBatches = `(SELECT batches.*, actors.role AS actor_role, actors.os_user, actors.host,
    canceller.role AS canceller_role, canceller.os_user AS canceller_user, canceller.host AS canceller_host
  FROM batches LEFT JOIN actors ON actors.number = batches.actor
    LEFT JOIN actors AS canceller ON canceller.number = cancelled_by) AS batches`

export const selectBatches = async (
  { all }: Statements,
  condition: string,
  values: Values = {},
  limit?: number,
): Promise<Batch[]> => {
  const rows = await all(
    `SELECT * FROM ${plannedBatches} WHERE ${condition} ORDER BY number DESC ${limit === undefined ? '' : `LIMIT ${limit}`}`,
    values,
  )
  return rows.map(readBatch)
}

export const findByName = async (
  { accounts, statements }: Tables,
  account: AccountId,
  name: string,
): Promise<Batch | undefined> => {
  const condition = `name_fold = $fold AND ${await accounts.createCondition(account)}`
  return (await selectBatches(statements, condition, { fold: foldReference(name) }))[0]
}
