// Saves the plans of batches, finds them again, and records their start, stop and cancellation.
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { Tables } from '../access.ts'
import type { Row } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import { findLastBatchNumber } from '../last-queries.ts'
import { readApprovalFacts } from './approval-guard.ts'
import type { Batch } from './batch.ts'
import { findByName, selectBatches } from './batch-rows.ts'
import type { Plans } from './batches.ts'
import { insertPlan } from './insert-plan.ts'

/** SQL: the orders of a batch that were charged more than their total, or in another currency. */
const countOvercharged =
  '(SELECT count(*) FROM orders WHERE orders.batch = batches.number AND counted IS NOT NULL)'

export const createBatchTable = ({ read, write }: Journal): Plans => ({
  saveBatch: async (given, replacesPlan) => {
    // The transaction may run more than once, but a generator only once.
    const batch = { ...given, rows: [...given.rows] }
    return write((tables) => insertPlan(tables, batch, replacesPlan))
  },

  getBatch: (number) => read((tables) => getBatch(tables, number)),

  findBatches: (account, text) =>
    read(async (tables) => {
      const { accounts, statements } = tables
      const named = await findByName(tables, account, text)
      if (named !== undefined && isSameReference(named.name, text)) return [named]
      return selectBatches(statements, `id = $text AND ${await accounts.createCondition(account)}`, { text })
    }),

  findOnAnyAccount: (text) =>
    read(({ statements }) =>
      selectBatches(statements, 'name_fold = $fold OR id = $text', { fold: foldReference(text), text }),
    ),

  findSameDemand: (batch, since) => read((tables) => findSameDemand(tables, batch, since)),

  listBatches: ({ profile, limit }) =>
    read(({ statements }) =>
      profile === undefined
        ? selectBatches(statements, 'TRUE', {}, limit)
        : selectBatches(statements, 'profile = $profile', { profile }, limit),
    ),

  findLastBatch: (account) =>
    read(async (tables) => {
      const number = await findLastBatchNumber(tables, await tables.accounts.createCondition(account))
      return number === undefined ? undefined : getBatch(tables, number)
    }),

  startBatch: (batch, { maxTotal, at, refuseSame, checkApproval }) =>
    write(async (tables) => {
      checkApproval?.(await readApprovalFacts(tables.statements, batch.number))
      if (refuseSame !== undefined) {
        await lockDemand(tables, batch)
        refuseSame.check(await findSameDemand(tables, batch, refuseSame.since))
      }
      const changed = await tables.statements.run(
        `UPDATE batches SET max_total = $maxTotal, stopped = NULL, started_at = coalesce(started_at, $at),
           changed_at = $at, overcharged = ${countOvercharged}
         WHERE number = $number AND cancelled_at IS NULL`,
        { number: batch.number, maxTotal, at },
      )
      return changed > 0
    }),

  isOvercharged: (number) =>
    read(async ({ statements }) => {
      const found = await statements.all(
        `SELECT 1 FROM batches WHERE number = $number AND overcharged < ${countOvercharged}`,
        { number },
      )
      return found.length > 0
    }),

  stopBatch: (number, reason, at) =>
    write(
      async ({ statements: { run } }) =>
        void (await run('UPDATE batches SET stopped = $reason, changed_at = $at WHERE number = $number', {
          number,
          reason,
          at,
        })),
    ),

  cancelBatch: (number, at) =>
    write(
      async ({ statements: { run }, actor }) =>
        void (await run(
          `UPDATE batches SET changed_at = $at, cancelled_at = coalesce(cancelled_at, $at),
             cancelled_by = CASE WHEN cancelled_at IS NULL THEN CAST($actor AS BIGINT) ELSE cancelled_by END
           WHERE number = $number`,
          { number, at, actor: actor ?? null },
        )),
    ),
})

const getBatch = async ({ statements }: Tables, number: number): Promise<Batch | undefined> =>
  (await selectBatches(statements, 'number = $number', { number }))[0]

/** Two processes that start equal batches must see each other. */
const lockDemand = ({ statements }: Tables, { demand }: Batch): Promise<Row[]> =>
  statements.all(
    `SELECT number FROM batches WHERE demand = $demand ORDER BY number ${statements.dialect.forUpdate}`,
    { demand },
  )

const findSameDemand = async (
  { statements, slots }: Tables,
  { number, demand }: Batch,
  since: number,
): Promise<Batch[]> => {
  const condition = 'demand = $demand AND number <> $number AND started_at >= $since'
  const same: Batch[] = []
  for (const other of await selectBatches(statements, condition, { demand, number, since })) {
    if (other.cancelledAt === undefined || (await slots.listSpent(other.number)).length > 0) same.push(other)
  }
  return same
}
