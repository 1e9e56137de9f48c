// The table of batches: saves a plan, finds it again, and records its start, stop and cancellation.
import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { Row } from '../database/database.ts'
import type { JournalParts } from '../journal.ts'
import type { Tables } from '../tables.ts'
import { type ApprovalFacts, readApprovalFacts } from './approval-guard.ts'
import type { Batch, StopReason } from './batch.ts'
import { insertPlan, type NewBatch, type SavedBatch } from './insert-plan.ts'
import { findByName, selectBatches } from './select-batches.ts'

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

export const createBatchTable = ({ tables, runTransaction }: JournalParts) => {
  const { accounts, statements, slots, queries } = tables

  return {
    /**
     * Returns the saved batch, or the other batch that has its name. Replaces another plan of that name only if
     * `replacesPlan` is true and that plan was neither started nor cancelled.
     */
    saveBatch: (given: NewBatch, replacesPlan: boolean): Promise<SavedBatch> => {
      // The transaction may run more than once, but a generator only once.
      const batch = { ...given, rows: [...given.rows] }
      return runTransaction((tables) => insertPlan(tables, batch, replacesPlan))
    },

    getBatch: async (number: number): Promise<Batch | undefined> =>
      (await selectBatches(statements, 'number = $number', { number }))[0],

    /** Finds batches by name or id. Several batches may have the same id. */
    findBatches: async (account: AccountId, text: string): Promise<Batch[]> => {
      const named = await findByName(tables, account, text)
      if (named !== undefined && isSameReference(named.name, text)) return [named]
      return selectBatches(statements, `id = $text AND ${await accounts.createCondition(account)}`, { text })
    },

    findOnAnyAccount: (text: string): Promise<Batch[]> =>
      selectBatches(statements, 'name_fold = $fold OR id = $text', { fold: foldReference(text), text }),

    findSameDemand: (batch: Batch, since: number): Promise<Batch[]> => findSameDemand(tables, batch, since),

    /** Newest first. */
    listBatches: ({ profile, limit }: { profile?: string | undefined; limit: number }): Promise<Batch[]> =>
      profile === undefined
        ? selectBatches(statements, 'TRUE', {}, limit)
        : selectBatches(statements, 'profile = $profile', { profile }, limit),

    findLastBatch: async (account: AccountId): Promise<Batch | undefined> => {
      const number = await queries.findLastBatchNumber(await accounts.createCondition(account))
      return number === undefined
        ? undefined
        : (await selectBatches(statements, 'number = $number', { number }))[0]
    },

    /** Records the consent to the cap. Returns false if the batch is cancelled. */
    startBatch: (batch: Batch, { maxTotal, at, refuseSame, checkApproval }: BatchStart): Promise<boolean> =>
      runTransaction(async (tables) => {
        checkApproval?.(await readApprovalFacts(tables.statements, batch.number))
        if (refuseSame !== undefined) {
          await lockDemand(tables, batch)
          refuseSame.check(await findSameDemand(tables, batch, refuseSame.since))
        }
        const changed = await tables.statements.run(
          `UPDATE batches SET max_total = $maxTotal, stopped = NULL, started_at = coalesce(started_at, $at),
             changed_at = $at
           WHERE number = $number AND cancelled_at IS NULL`,
          { number: batch.number, maxTotal, at },
        )
        return changed > 0
      }),

    stopBatch: async (number: number, reason: StopReason, at: number): Promise<void> =>
      void (await statements.run(
        'UPDATE batches SET stopped = $reason, changed_at = $at WHERE number = $number',
        { number, reason, at },
      )),

    /** After that, no order of the batch can be created or confirmed. */
    cancelBatch: (number: number, at: number): Promise<void> =>
      runTransaction(
        async ({ statements: { run }, actor }) =>
          void (await run(
            `UPDATE batches SET changed_at = $at, cancelled_at = coalesce(cancelled_at, $at),
               cancelled_by = CASE WHEN cancelled_at IS NULL THEN CAST($actor AS BIGINT) ELSE cancelled_by END
             WHERE number = $number`,
            { number, at, actor: actor ?? null },
          )),
      ),

    listSpent: slots.listSpent,
  }
}

/** Two processes that start equal batches must see each other. */
const lockDemand = ({ statements }: Tables, { demand }: Batch): Promise<Row[]> =>
  statements.all(
    `SELECT number FROM batches WHERE demand = $demand ORDER BY number ${statements.dialect.forUpdate}`,
    { demand },
  )

/** Finds other batches with the same demand that were started since then, except those cancelled for free. */
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
