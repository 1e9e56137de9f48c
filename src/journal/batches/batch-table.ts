// Saves the plans of batches, finds them again, and records their start, stop and cancellation.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { Access } from '../access.ts'
import { readAccountCondition } from '../accounts.ts'
import type { Journal } from '../journal.ts'
import { findLastBatchNumber } from '../orders/queries.ts'
import { type ApprovalFacts, readApprovalFacts } from './approval-guard.ts'
import type { Batch, StopReason } from './batch.ts'
import { findByName, selectBatches } from './batch-rows.ts'
import { insertPlan, type NewBatch } from './insert-plan.ts'
import { readSpent } from './slot-guard.ts'

type BatchFilter = {
  readonly profile?: string | undefined
  /** True: only batches of the sandbox. False: only other batches. */
  readonly isSandbox?: boolean | undefined
  readonly limit: number
}

export type BatchStart = {
  /** The cap that the user consented to. */
  readonly maxTotal: string
  readonly at: number
  /** `check` throws to refuse the start because of other batches with the same demand, started since then. */
  readonly refuseSame?:
    | { readonly since: number; readonly check: (same: readonly Batch[]) => void }
    | undefined
  /** Throws to refuse the start because the cap needs an approval. */
  readonly checkApproval?: ((facts: ApprovalFacts) => void) | undefined
}

/** SQL: the orders of a batch that were charged more than their total, or in another currency. */
const countOvercharged =
  '(SELECT count(*) FROM orders WHERE orders.batch = batches.number AND orders.overcharged = 1)'

export const createBatchTable = ({ read, write }: Journal) => ({
  /**
   * Returns the saved batch, or the other batch that has its name. Replaces another plan of that name only if
   * `replacesPlan` is true and that plan was neither started nor cancelled.
   */
  saveBatch: (batch: NewBatch, replacesPlan: boolean) =>
    write((access) => insertPlan(access, batch, replacesPlan)),

  getBatch: (number: number) => read((access) => getBatch(access, number)),

  /** By name or id. Several batches may have the same id. */
  findBatches: (account: AccountId, text: string) =>
    read(async (access) => {
      const { statements } = access
      const named = await findByName(access, account, text)
      if (named !== undefined && isSameReference(named.name, text)) return [named]
      return selectBatches(statements, `id = $text AND ${await readAccountCondition(statements, account)}`, {
        text,
      })
    }),

  findOnAnyAccount: (text: string) =>
    read(({ statements }) =>
      selectBatches(statements, 'name_fold = $fold OR id = $text', { fold: foldReference(text), text }),
    ),

  /** Other batches with the same demand that were started since then, except those cancelled for free. */
  findSameDemand: (batch: Batch, since: number) => read((access) => findSameDemand(access, batch, since)),

  /** Newest first. */
  listBatches: ({ profile, isSandbox, limit }: BatchFilter) =>
    read(({ statements }) => {
      const ofSandbox = isSandbox === undefined ? 'TRUE' : `profile ${isSandbox ? '=' : '<>'} 'sandbox'`
      return profile === undefined
        ? selectBatches(statements, ofSandbox, {}, limit)
        : selectBatches(statements, 'profile = $profile', { profile }, limit)
    }),

  findLastBatch: (account: AccountId) =>
    read(async (access) => {
      const number = await findLastBatchNumber(access, await readAccountCondition(access.statements, account))
      return number === undefined ? undefined : getBatch(access, number)
    }),

  /** Records the consent to the cap. Returns false if the batch is cancelled. */
  startBatch: (batch: Batch, { maxTotal, at, refuseSame, checkApproval }: BatchStart) =>
    write(async (access) => {
      const { all, run, dialect } = access.statements
      checkApproval?.(await readApprovalFacts(access.statements, batch.number))
      if (refuseSame !== undefined) {
        // Two processes that start equal batches must see each other.
        await all(`SELECT number FROM batches WHERE demand = $demand ORDER BY number ${dialect.forUpdate}`, {
          demand: batch.demand,
        })
        refuseSame.check(await findSameDemand(access, batch, refuseSame.since))
      }
      const changed = await run(
        `UPDATE batches SET max_total = $maxTotal, stopped = NULL, started_at = coalesce(started_at, $at),
           changed_at = $at, overcharged = ${countOvercharged}
         WHERE number = $number AND cancelled_at IS NULL`,
        { number: batch.number, maxTotal, at },
      )
      return changed > 0
    }),

  /** Whether an order was charged more than its total, or in another currency, since somebody last started the batch. */
  isOvercharged: (number: number) =>
    read(async ({ statements: { all } }) => {
      const sql = `SELECT 1 FROM batches WHERE number = $number AND overcharged < ${countOvercharged}`
      return (await all(sql, { number })).length > 0
    }),

  stopBatch: (number: number, reason: StopReason, at: number) =>
    write(async ({ statements: { run } }) => {
      const values = { number, reason, at }
      await run('UPDATE batches SET stopped = $reason, changed_at = $at WHERE number = $number', values)
    }),

  /** After that, no order of the batch can be created or confirmed. */
  cancelBatch: (number: number, at: number) =>
    write(async ({ statements: { run }, actor }) => {
      await run(
        `UPDATE batches SET changed_at = $at, cancelled_at = coalesce(cancelled_at, $at),
           cancelled_by = CASE WHEN cancelled_at IS NULL THEN CAST($actor AS BIGINT) ELSE cancelled_by END
         WHERE number = $number`,
        { number, at, actor: actor ?? null },
      )
    }),
})

const getBatch = async ({ statements }: Access, number: number): Promise<Batch | undefined> =>
  (await selectBatches(statements, 'number = $number', { number }))[0]

const findSameDemand = async ({ statements }: Access, { number, demand }: Batch, since: number) => {
  const condition = 'demand = $demand AND number <> $number AND started_at >= $since'
  const same: Batch[] = []
  for (const other of await selectBatches(statements, condition, { demand, number, since })) {
    if (other.cancelledAt === undefined || (await readSpent(statements, other.number)).orders > 0)
      same.push(other)
  }
  return same
}
