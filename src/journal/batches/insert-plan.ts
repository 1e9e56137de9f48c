// Inserts the plan of a batch, or replaces an earlier plan of the same name.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference } from '../../contract/order/reference.ts'
import type { Write, WriteAccess } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import { insertRow, insertRows } from '../database/database.ts'
import type { Owner } from '../orders/entries.ts'
import { batchCards, batches, batchRows } from '../tables/batches.ts'
import { type Batch, defaultHeader, findByName, getBatch, markCancelled, type StoredRow } from './batches.ts'
import { canReplaceRows, lockBatch } from './slots.ts'

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
