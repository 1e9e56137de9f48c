// A batch in the journal: its rows, and the cards that they want. Inserts its plan, or replaces an earlier plan of the same name.
// Finds batches, and records their start, stop and cancellation.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/order/reference.ts'
import type { Access, Write, WriteAccess } from '../access.ts'
import { type Actor, getOrAddAccount, readAccountCondition, readActor } from '../accounts.ts'
import { hasRow, insertRow, insertRows, type Row, type Values } from '../database/database.ts'
import { readSpent, type Use } from '../limits.ts'
import { type Owner, selectRows } from '../orders/entries.ts'
import { type Filter, selectFiltered } from '../orders/list-orders.ts'
import { batchCards, batches, batchRows, type HeaderColumn } from '../tables/batches.ts'
import type { RowOf } from '../tables/table.ts'
import { selectBatchNumbers } from './batch-names.ts'

/** Why a batch stopped before it was complete. */
export type StopReason = NonNullable<RowOf<typeof batches>['stopped']>

const defaultHeader = (columns: readonly string[]): readonly HeaderColumn[] => [
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

const findByName = async (access: Access, account: AccountId, name: string) => {
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
const markCancelled = ({ run, actor }: WriteAccess, number: number, at: number) =>
  run(
    `UPDATE batches SET changed_at = $at, cancelled_at = coalesce(cancelled_at, $at),
       cancelled_by = CASE WHEN cancelled_at IS NULL THEN CAST($actor AS BIGINT) ELSE cancelled_by END
     WHERE number = $number`,
    { number, at, actor: actor ?? null },
  )

export const recordCancel = ({ write }: Write, number: number, at: number) =>
  write((access) => markCancelled(access, number, at))

export type NewBatch = Owner &
  Pick<Batch, 'id' | 'demand' | 'name' | 'wallet' | 'columns' | 'lastSlot'> & {
    readonly rows: readonly Omit<StoredRow, 'row'>[]
    /** The slot of each card, in the order of the rows. */
    readonly slotOf: (card: number) => number
    readonly header?: Batch['header'] | undefined
    readonly format?: Batch['format'] | undefined
    readonly at: number
  }

export type SavedBatch = {
  readonly batch: Batch
  readonly isNew: boolean
  /** A started batch of the name bought nothing, and was cancelled. */
  readonly hasCancelled?: boolean
}

/**
 * Returns the saved batch, or the other batch with its name. Replaces a different plan of that name only if
 * `replacesPlan` is true and that plan was not cancelled and has only void orders. If it was started, it is cancelled.
 */
export const saveBatch = ({ write }: Write, batch: NewBatch, replacesPlan: boolean): Promise<SavedBatch> =>
  write(async (access) => {
    const find = replacesPlan ? lockByName : findByName
    const same = await find(access, batch.account, batch.name)
    if (same !== undefined) {
      const { number, id, startedAt } = same
      const isReplaced = replacesPlan && id !== batch.id && (await canReplaceRows(access, same))
      if (!isReplaced) return { batch: same, isNew: false }
      if (startedAt === undefined) {
        // The database deletes its rows and cards, too.
        await access.run('DELETE FROM batches WHERE number = $number', { number })
      } else await markCancelled(access, number, batch.at)
    }
    const hasCancelled = same?.startedAt !== undefined
    const number = await insertBatch(access, batch)
    await insertPlan(access, number, batch)
    const saved = await getBatch(access, number)
    if (saved === undefined) throw new Error('the batch was not saved')
    return { batch: saved, isNew: true, hasCancelled }
  })

/** Locks the batch: no other process starts, approves or replaces it until the end of the transaction. */
const lockByName = async (access: WriteAccess, account: AccountId, name: string) => {
  for (;;) {
    const found = await findByName(access, account, name)
    if (found === undefined) return undefined
    await lockBatch(access, found.number)
    // A different process may have started or replaced the batch before the lock.
    const locked = await findByName(access, account, name)
    if (locked?.number === found.number) return locked
  }
}

const insertBatch = async (access: WriteAccess, { at, header, ...batch }: NewBatch): Promise<number> =>
  insertRow(access, batches, {
    ...batch,
    account: await getOrAddAccount(access, batch.account),
    nameFold: foldReference(batch.name),
    header: header ?? defaultHeader(batch.columns),
    plannedAt: at,
    changedAt: at,
  })

const insertPlan = async (access: WriteAccess, batch: number, { rows, slotOf }: NewBatch) => {
  const stored = rows.map(({ productType, cells, given, ...row }, index) => ({
    ...{ ...row, batch, row: index, product_type: productType, cells: JSON.stringify(cells) },
    given: given && JSON.stringify(given),
  }))
  await insertRows(access, batchRows, stored)
  const cards = rows
    .flatMap(({ quantity }, row) => Array.from({ length: quantity }, () => row))
    .map((row, card) => ({ batch, card, row, slot: slotOf(card), state: 'wanted' }))
  await insertRows(access, batchCards, cards)
}

const hasOrder = (access: Access, batch: number, condition: string): Promise<boolean> =>
  hasRow(access, `SELECT 1 FROM orders WHERE batch = $batch AND ${condition} LIMIT 1`, { batch })

/** Whether the service ever created an order of the batch. */
export const hasCreatedOrder = (access: Access, batch: number): Promise<boolean> =>
  hasOrder(access, batch, 'order_id IS NOT NULL')

/**
 * Whether the name of the batch may get other rows: it was not started, or all orders that it placed are void. A batch
 * without an order may have just been started by a different process.
 */
export const canReplaceRows = async (
  access: Access,
  { number, startedAt, cancelledAt }: Pick<Batch, 'number' | 'startedAt' | 'cancelledAt'>,
): Promise<boolean> => {
  if (cancelledAt !== undefined) return false
  const isUnused = startedAt === undefined || (await hasOrder(access, number, 'TRUE'))
  return isUnused && !(await hasOrder(access, number, '(holds OR live)'))
}

export const isCancelled = (access: Access, batch: number): Promise<boolean> =>
  hasRow(access, 'SELECT 1 FROM batches WHERE number = $batch AND cancelled_at IS NOT NULL', { batch })

/**
 * Locks the batch: no other process begins a call for it or changes its cards until the end of the transaction. Returns
 * its cap, which is 0 if no one has consented to one.
 */
export const lockBatch = async (
  { all, dialect }: WriteAccess,
  batch: number,
): Promise<Omit<Use, 'spent'>> => {
  const [found = {}] = await all(
    `SELECT name, wallet AS currency, coalesce(max_total, '0') AS amount FROM batches
     WHERE number = $batch ${dialect.forUpdateOf('batches')}`,
    { batch },
  )
  const { name = '', currency = '', amount = '0' } = found as Partial<Record<string, string>>
  return { scope: 'batch', name, currency, amount }
}
