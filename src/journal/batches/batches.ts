// A batch in the journal: its rows, and the cards that they want. Finds batches, and records their start, stop and
// cancellation.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/order/reference.ts'
import type { Access, Write, WriteAccess } from '../access.ts'
import { type Actor, readAccountCondition, readActor } from '../accounts.ts'
import { hasRow, type Row, type Values } from '../database/database.ts'
import { readSpent } from '../limits.ts'
import { selectRows } from '../orders/entries.ts'
import { type Filter, selectFiltered } from '../orders/list-orders.ts'
import { type batchCards, batches, type batchRows, type HeaderColumn } from '../tables/batches.ts'
import type { RowOf } from '../tables/table.ts'
import { selectBatchNumbers } from './batch-names.ts'

/** Why a batch stopped before it was complete. */
export type StopReason = NonNullable<RowOf<typeof batches>['stopped']>

export const defaultHeader = (columns: readonly string[]): readonly HeaderColumn[] => [
  ...(['sku', 'quote', 'quantity'] as const).map((field) => ({ name: field, field })),
  ...columns.map((name) => ({ name })),
]

/** tables/batches.ts describes each field. */
export type Batch = Omit<RowOf<typeof batches>, 'cancelledBy'> & {
  readonly cancelledBy?: Actor | undefined
  /** Who planned it. */
  readonly by?: Actor | undefined
}

export type StoredRow = Omit<RowOf<typeof batchRows>, 'batch'>
export type StoredCard = Omit<RowOf<typeof batchCards>, 'batch'>

/** 'duplicate': a different card has the same code. */
export type CardState = StoredCard['state']

/** Ordered but not delivered to its row. */
const failedStates: ReadonlySet<CardState | undefined> = new Set<CardState>(['failed', 'duplicate'])

export const isFailedCard = ({ state }: { readonly state: string }): boolean =>
  failedStates.has(state as CardState)

export type SlotLine = Pick<StoredRow, 'sku' | 'productType' | 'quote' | 'quantity'>

/** The slot that an order of a batch buys, and its products. */
export type Claim = {
  readonly batch: number
  readonly slot: number
  /** The products of the order (see formatLines). The slot must still want exactly these. */
  readonly lines: string
  /** How long the order belongs to its run after the intent to create or confirm it. Outlasts the call. */
  readonly holdMs: { readonly create: number; readonly confirm: number }
}

/** Equal for equal products. */
export const formatLines = (lines: readonly SlotLine[]): string =>
  JSON.stringify(
    lines.map(({ sku, productType, quote, quantity }) => [sku, productType, quote, quantity]).toSorted(),
  )

export type CardCounts = Readonly<Record<CardState, number>>

export type BatchStart = {
  /** The cap that the user consented to. */
  readonly maxTotal: string
  readonly at: number
  /** `check` throws to refuse the start because of other batches with the same demand, started since then. */
  readonly refuseSame?:
    | { readonly since: number; readonly check: (same: readonly Batch[]) => void }
    | undefined
}

/** Newest first. */
const selectBatches = async (access: Access, condition: string, values: Values = {}, limit?: number) => {
  const sql = `SELECT * FROM (SELECT batches.*, actors.role, actors.os_user, actors.host,
        canceller.role AS canceller_role, canceller.os_user AS canceller_user, canceller.host AS canceller_host,
        coalesce(canceller.role, ${access.dialect.writtenBy}) AS canceller_written_by
      FROM batches LEFT JOIN actors ON actors.number = batches.actor
        LEFT JOIN actors AS canceller ON canceller.number = cancelled_by) AS batches
    WHERE ${condition} ORDER BY number DESC ${limit === undefined ? '' : `LIMIT ${limit}`}`
  const found = await selectRows<Batch>(access, batches, sql, values, (row) => ({
    by: readActor(row),
    cancelledBy: row.cancelled_at === null ? undefined : readCanceller(row),
  }))
  return found.map(({ header, ...batch }) => ({
    ...batch,
    header: header.length > 0 ? header : defaultHeader(batch.columns),
  }))
}

const readCanceller = (row: Row): Actor | undefined =>
  readActor({
    ...{ role: row.canceller_role, os_user: row.canceller_user, host: row.canceller_host },
    written_by: row.canceller_written_by,
  })

/** At most one batch of a name is not cancelled. */
const findCurrent = (named: readonly Batch[]): Batch | undefined =>
  named.find(({ cancelledAt }) => cancelledAt === undefined) ?? named[0]

export const findByName = async (access: Access, account: AccountId, name: string) => {
  const condition = `name_fold = $fold AND ${await readAccountCondition(access, account)}`
  return findCurrent(await selectBatches(access, condition, { fold: foldReference(name) }))
}

export const getBatch = async (access: Access, number: number): Promise<Batch | undefined> =>
  (await selectBatches(access, 'number = $number', { number }))[0]

/** By name, id or `@last`. Several batches may have the same id. */
export const findBatches = async (access: Access, account: AccountId, text: string): Promise<Batch[]> => {
  const numbers = await selectBatchNumbers(access, text, await readAccountCondition(access, account))
  const found = await selectBatches(access, `number IN (${[0, ...numbers].join(', ')})`)
  const current = findCurrent(found.filter(({ name }) => isSameReference(name, text)))
  return current === undefined ? found : [current]
}

export const findBatchesOnAnyAccount = (access: Access, text: string): Promise<Batch[]> =>
  selectBatches(access, 'name_fold = $fold OR id = $text', { fold: foldReference(text), text })

/** Other batches with the same demand that were started since then, except those cancelled for free. */
export const findSameDemand = async (access: Access, { number, demand }: Batch, since: number) => {
  const condition = 'demand = $demand AND number <> $number AND started_at >= $since'
  const same: Batch[] = []
  for (const other of await selectBatches(access, condition, { demand, number, since })) {
    if (other.cancelledAt === undefined || (await readSpent(access, other.number)).orders > 0)
      same.push(other)
  }
  return same
}

/** Newest first. */
export const listNewestBatches = (
  access: Access,
  { limit, ...filter }: Pick<Filter, 'profile' | 'isSandbox' | 'limit'>,
) => {
  const { where, values } = selectFiltered(filter)
  return selectBatches(access, where, values, limit)
}

/** SQL: the orders of a batch that were charged more than their total, or in a different currency. */
const countOvercharged =
  '(SELECT count(*) FROM orders WHERE orders.batch = batches.number AND orders.overcharged = 1)'

/** Records the consent to the cap. Returns false if the batch is cancelled. */
export const recordStart = (
  { write }: Write,
  batch: Batch,
  { maxTotal, at, refuseSame }: BatchStart,
): Promise<boolean> =>
  write(async (access) => {
    const { all, run, dialect } = access
    if (refuseSame !== undefined) {
      // Two processes that start equal batches must see each other.
      const same = `SELECT number FROM batches WHERE demand = $demand ORDER BY number`
      await all(`${same} ${dialect.forUpdateOf('batches')}`, { demand: batch.demand })
      refuseSame.check(await findSameDemand(access, batch, refuseSame.since))
    }
    const changed = await run(
      `UPDATE batches SET max_total = $maxTotal, stopped = NULL, started_at = coalesce(started_at, $at),
         changed_at = $at, overcharged = ${countOvercharged}
       WHERE number = $number AND cancelled_at IS NULL`,
      { number: batch.number, maxTotal, at },
    )
    return changed > 0
  })

/** Whether an order was charged more than its total, or in a different currency, since the batch was last started. */
export const isBatchOvercharged = (access: Access, number: number): Promise<boolean> =>
  hasRow(access, `SELECT 1 FROM batches WHERE number = $number AND overcharged < ${countOvercharged}`, {
    number,
  })

export const recordStop = ({ write }: Write, number: number, reason: StopReason, at: number) =>
  write(({ run }) =>
    run('UPDATE batches SET stopped = $reason, changed_at = $at WHERE number = $number', {
      ...{ number, reason, at },
    }),
  )

/** After that, no order of the batch can be created or confirmed. */
export const markCancelled = ({ run, actor }: WriteAccess, number: number, at: number) =>
  run(
    `UPDATE batches SET changed_at = $at, cancelled_at = coalesce(cancelled_at, $at),
       cancelled_by = CASE WHEN cancelled_at IS NULL THEN CAST($actor AS BIGINT) ELSE cancelled_by END
     WHERE number = $number`,
    { number, at, actor: actor ?? null },
  )

export const recordCancel = ({ write }: Write, number: number, at: number) =>
  write((access) => markCancelled(access, number, at))
