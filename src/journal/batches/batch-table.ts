// The table of batches: saves a plan, finds it again, and records its start, stop and cancellation.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { Row, Statements, Values } from '../database/database.ts'
import type { Owner } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import type { Tables } from '../tables.ts'
import { type ApprovalFacts, readApprovalFacts } from './approval-guard.ts'
import { type Batch, defaultHeader, type StopReason } from './batch.ts'
import { readBatch } from './batch-rows.ts'
import { insertRows, type PlannedRows } from './insert-rows.ts'

export type NewBatch = Owner &
  PlannedRows &
  Pick<Batch, 'id' | 'demand' | 'name' | 'wallet' | 'columns' | 'cardKey' | 'lastSlot'> & {
    readonly header?: Batch['header'] | undefined
    readonly at: number
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

export const createBatchTable = ({ tables, runTransaction }: JournalParts) => {
  const { accounts, statements, slots, queries } = tables

  return {
    /**
     * Returns the saved batch, or the other batch that has its name. Replaces another plan of that name only if
     * `replacesPlan` is true and that plan was neither started nor cancelled.
     */
    saveBatch: (given: NewBatch, replacesPlan: boolean): Promise<{ batch: Batch; isNew: boolean }> => {
      // The transaction may run more than once, but a generator only once.
      const batch = { ...given, rows: [...given.rows] }
      return runTransaction(async (tables) => {
        const { statements } = tables
        const find = replacesPlan ? lockByName : findByName
        const same = await find(tables, batch.account, batch.name)
        if (same !== undefined) {
          const isReplaced =
            replacesPlan &&
            same.id !== batch.id &&
            same.startedAt === undefined &&
            same.cancelledAt === undefined
          if (!isReplaced) return { batch: same, isNew: false }
          await deletePlan(statements, same.number)
        }
        const number = await insertBatch(tables, batch)
        await insertRows(statements, number, batch)
        const [saved] = await select(statements, 'number = $number', { number })
        if (saved === undefined) throw new Error('the batch was not saved')
        return { batch: saved, isNew: true }
      })
    },

    getBatch: async (number: number): Promise<Batch | undefined> =>
      (await select(statements, 'number = $number', { number }))[0],

    /** Finds batches by name or id. Several batches may have the same id. */
    findBatches: async (account: AccountId, text: string): Promise<Batch[]> => {
      const named = await findByName(tables, account, text)
      if (named !== undefined && isSameReference(named.name, text)) return [named]
      return select(statements, `id = $text AND ${await accounts.createCondition(account)}`, { text })
    },

    findOnAnyAccount: (text: string): Promise<Batch[]> =>
      select(statements, 'name_fold = $fold OR id = $text', { fold: foldReference(text), text }),

    findSameDemand: (batch: Batch, since: number): Promise<Batch[]> => findSameDemand(tables, batch, since),

    /** Newest first. */
    listBatches: ({ profile, limit }: { profile?: string | undefined; limit: number }): Promise<Batch[]> =>
      profile === undefined
        ? select(statements, 'TRUE', {}, limit)
        : select(statements, 'profile = $profile', { profile }, limit),

    findLastBatch: async (account: AccountId): Promise<Batch | undefined> => {
      const number = await queries.findLastBatchNumber(await accounts.createCondition(account))
      return number === undefined ? undefined : (await select(statements, 'number = $number', { number }))[0]
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

/** With who planned it, and who cancelled it. */
const plannedBatches = `(SELECT batches.*, actors.role AS actor_role, actors.os_user, actors.host,
    canceller.role AS canceller_role, canceller.os_user AS canceller_user, canceller.host AS canceller_host
  FROM batches LEFT JOIN actors ON actors.number = batches.actor
    LEFT JOIN actors AS canceller ON canceller.number = cancelled_by) AS batches`

const select = async (
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

const findByName = async (
  { accounts, statements }: Tables,
  account: AccountId,
  name: string,
): Promise<Batch | undefined> => {
  const condition = `name_fold = $fold AND ${await accounts.createCondition(account)}`
  return (await select(statements, condition, { fold: foldReference(name) }))[0]
}

/** Nobody starts, approves or replaces the batch until the end of the transaction. */
const lockByName: typeof findByName = async (tables, account, name) => {
  for (;;) {
    const found = await findByName(tables, account, name)
    if (found === undefined) return undefined
    await tables.slots.lockBatch(found.number)
    // Another process may have started or replaced it before.
    const locked = await findByName(tables, account, name)
    if (locked?.number === found.number) return locked
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
  for (const other of await select(statements, condition, { demand, number, since })) {
    if (other.cancelledAt === undefined || (await slots.listSpent(other.number)).length > 0) same.push(other)
  }
  return same
}

const insertBatch = async ({ accounts, statements, actor }: Tables, batch: NewBatch): Promise<number> => {
  const [added] = await statements.all(
    `INSERT INTO batches (account, profile, origin, id, demand, name, name_fold, wallet, columns, header,
       card_key, last_slot, planned_at, changed_at, actor)
     VALUES ($account, $profile, $origin, $id, $demand, $name, $fold, $wallet, $columns, $header,
       $cardKey, $lastSlot, $at, $at, $actor)
     RETURNING number`,
    {
      ...{
        account: await accounts.getOrAddNumber(batch.account),
        profile: batch.profile,
        origin: batch.origin,
      },
      ...{ id: batch.id, demand: batch.demand, name: batch.name, fold: foldReference(batch.name) },
      ...{ wallet: batch.wallet, columns: JSON.stringify(batch.columns) },
      header: JSON.stringify(batch.header ?? defaultHeader(batch.columns)),
      ...{ cardKey: batch.cardKey, lastSlot: batch.lastSlot, at: batch.at, actor: actor ?? null },
    },
  )
  return Number(added?.number)
}

const deletePlan = async ({ run }: Statements, number: number): Promise<void> => {
  await run('DELETE FROM batch_cards WHERE batch = $number', { number })
  await run('DELETE FROM batch_rows WHERE batch = $number', { number })
  await run('DELETE FROM batches WHERE number = $number', { number })
}
