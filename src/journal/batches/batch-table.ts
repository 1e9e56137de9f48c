// The table of batches: saves a plan, finds it again, and records its start, stop and cancellation.

import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { Owner } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import { type Batch, defaultHeader, type StopReason, type StoredRow } from './batch.ts'
import { readBatch } from './batch-rows.ts'

export type NewBatch = Owner &
  Pick<Batch, 'id' | 'demand' | 'name' | 'wallet' | 'columns' | 'cardKey' | 'lastSlot'> & {
    readonly header?: Batch['header'] | undefined
    readonly at: number
    readonly rows: Iterable<Omit<StoredRow, 'row'>>
    /** The slot of each card, in the order of the rows. */
    readonly slotOf: (card: number) => number
  }

export const createBatchTable = ({ database, runTransaction, accounts }: JournalParts) => {
  const select = (condition: string, values: Record<string, string | number> = {}, limit = -1): Batch[] =>
    database
      .prepare(`SELECT * FROM batches WHERE ${condition} ORDER BY number DESC LIMIT ${limit}`)
      .all(values)
      .map(readBatch)

  const findByName = (account: AccountId, name: string): Batch | undefined =>
    select(`name_fold = $fold AND ${accounts.createCondition(account)}`, { fold: foldReference(name) })[0]

  const insertBatch = (batch: NewBatch): number =>
    Number(
      database
        .prepare(
          `INSERT INTO batches (account, profile, origin, id, demand, name, name_fold, wallet, columns, header,
             card_key, last_slot, planned_at, changed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          ...[accounts.getOrAddNumber(batch.account), batch.profile, batch.origin, batch.id, batch.demand],
          ...[batch.name, foldReference(batch.name), batch.wallet, JSON.stringify(batch.columns)],
          JSON.stringify(batch.header ?? defaultHeader(batch.columns)),
          ...[batch.cardKey, batch.lastSlot, batch.at, batch.at],
        ).lastInsertRowid,
    )

  const insertRows = (number: number, { rows, slotOf }: NewBatch): void => {
    const insertRow = database.prepare('INSERT INTO batch_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    const insertCard = database.prepare(
      `INSERT INTO batch_cards (batch, card, row, slot, state) VALUES (?, ?, ?, ?, 'wanted')`,
    )
    let row = 0
    let card = 0
    for (const { line, sku, productType, quote, quantity, cells } of rows) {
      insertRow.run(number, row, line, sku, productType, quote, quantity, JSON.stringify(cells))
      for (let left = quantity; left > 0; left -= 1) {
        insertCard.run(number, card, row, slotOf(card))
        card += 1
      }
      row += 1
    }
  }

  const deletePlan = (number: number): void => {
    for (const sql of [
      'DELETE FROM batch_cards WHERE batch = ?',
      'DELETE FROM batch_rows WHERE batch = ?',
      'DELETE FROM batches WHERE number = ?',
    ]) {
      database.prepare(sql).run(number)
    }
  }

  return {
    /**
     * Returns the saved batch, or the other batch that has its name. Replaces another plan of that name only if
     * `replacesPlan` is true and that plan was neither started nor cancelled.
     */
    saveBatch: (batch: NewBatch, replacesPlan: boolean): { batch: Batch; isNew: boolean } =>
      runTransaction(() => {
        const same = findByName(batch.account, batch.name)
        if (same !== undefined) {
          const isReplaced =
            replacesPlan &&
            same.id !== batch.id &&
            same.startedAt === undefined &&
            same.cancelledAt === undefined
          if (!isReplaced) return { batch: same, isNew: false }
          deletePlan(same.number)
        }
        const number = insertBatch(batch)
        insertRows(number, batch)
        const [saved] = select('number = $number', { number })
        if (saved === undefined) throw new Error('the batch was not saved')
        return { batch: saved, isNew: true }
      }),

    getBatch: (number: number): Batch | undefined => select('number = $number', { number })[0],

    /** Finds batches by name or id. Several batches may have the same id. */
    findBatches: (account: AccountId, text: string): Batch[] => {
      const named = findByName(account, text)
      if (named !== undefined && isSameReference(named.name, text)) return [named]
      return select(`id = $text AND ${accounts.createCondition(account)}`, { text })
    },

    findOnAnyAccount: (text: string): Batch[] =>
      select('name_fold = $fold OR id = $text', { fold: foldReference(text), text }),

    /** Finds other batches with the same demand that were started since then. */
    findSameDemand: ({ number, demand }: Batch, since: number): Batch[] =>
      select('demand = $demand AND number <> $number AND started_at >= $since', { demand, number, since }),

    /** Newest first. */
    listBatches: ({ profile, limit }: { profile?: string | undefined; limit: number }): Batch[] =>
      profile === undefined ? select('TRUE', {}, limit) : select('profile = $profile', { profile }, limit),

    findLastBatch: (account: AccountId): Batch | undefined =>
      select(accounts.createCondition(account), {}, 1)[0],

    /** Records the consent to the cap. `check` may throw. Returns false if the batch is cancelled. */
    startBatch: (number: number, maxTotal: string, at: number, check = (): void => {}): boolean =>
      runTransaction(() => {
        check()
        return (
          database
            .prepare(
              `UPDATE batches SET max_total = ?, stopped = NULL, started_at = coalesce(started_at, ?), changed_at = ?
               WHERE number = ? AND cancelled_at IS NULL`,
            )
            .run(maxTotal, at, at, number).changes > 0
        )
      }),

    stopBatch: (number: number, reason: StopReason, at: number): void =>
      void database
        .prepare('UPDATE batches SET stopped = ?, changed_at = ? WHERE number = ?')
        .run(reason, at, number),

    /** After that, no order of the batch can be created or confirmed. */
    cancelBatch: (number: number, at: number): void =>
      void database
        .prepare(
          'UPDATE batches SET cancelled_at = coalesce(cancelled_at, ?), changed_at = ? WHERE number = ?',
        )
        .run(at, at, number),
  }
}
