// Inserts the plan of a batch, or replaces an earlier plan of the same name.

import { foldReference } from '../../contract/reference.ts'
import type { Access } from '../access.ts'
import { getOrAddAccount } from '../accounts.ts'
import type { Statements, Value } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { Owner } from '../entry.ts'
import { type Batch, defaultHeader, type StoredRow } from './batch.ts'
import { findByName, selectBatches } from './batch-rows.ts'
import { lockBatch } from './slot-guard.ts'

type PlannedRows = {
  readonly rows: Iterable<Omit<StoredRow, 'row'>>
  /** The slot of each card, in the order of the rows. */
  readonly slotOf: (card: number) => number
}

export type NewBatch = Owner &
  PlannedRows &
  Pick<Batch, 'id' | 'demand' | 'name' | 'wallet' | 'columns' | 'lastSlot'> & {
    readonly header?: Batch['header'] | undefined
    readonly format?: Batch['format'] | undefined
    readonly at: number
  }

export type SavedBatch = { readonly batch: Batch; readonly isNew: boolean }

/** Call it within a transaction. */
export const insertPlan = async (
  access: Access,
  batch: NewBatch,
  replacesPlan: boolean,
): Promise<SavedBatch> => {
  const { statements } = access
  const find = replacesPlan ? lockByName : findByName
  const same = await find(access, batch.account, batch.name)
  if (same !== undefined) {
    const isReplaced =
      replacesPlan && same.id !== batch.id && same.startedAt === undefined && same.cancelledAt === undefined
    if (!isReplaced) return { batch: same, isNew: false }
    // The database deletes its rows and cards, too.
    await statements.run('DELETE FROM batches WHERE number = $number', { number: same.number })
  }
  const number = await insertBatch(access, batch)
  await insertRows(statements, number, batch)
  const [saved] = await selectBatches(statements, 'number = $number', { number })
  if (saved === undefined) throw new Error('the batch was not saved')
  return { batch: saved, isNew: true }
}

/** Locks the batch: no other process starts, approves or replaces it until the end of the transaction. */
const lockByName: typeof findByName = async (access, account, name) => {
  for (;;) {
    const found = await findByName(access, account, name)
    if (found === undefined) return undefined
    await lockBatch(access.statements, found.number)
    // Another process may have started or replaced the batch before the lock.
    const locked = await findByName(access, account, name)
    if (locked?.number === found.number) return locked
  }
}

const insertBatch = async ({ statements, actor }: Access, batch: NewBatch): Promise<number> => {
  const [added] = await statements.all(
    `INSERT INTO batches (account, profile, origin, id, demand, name, name_fold, wallet, columns, header, format,
       last_slot, planned_at, changed_at, actor)
     VALUES ($account, $profile, $origin, $id, $demand, $name, $fold, $wallet, $columns, $header, $format,
       $lastSlot, $at, $at, $actor)
     RETURNING number`,
    {
      account: await getOrAddAccount(statements, batch.account),
      profile: batch.profile,
      origin: batch.origin,
      id: batch.id,
      demand: batch.demand,
      name: batch.name,
      fold: foldReference(batch.name),
      wallet: batch.wallet,
      columns: JSON.stringify(batch.columns),
      header: JSON.stringify(batch.header ?? defaultHeader(batch.columns)),
      format: batch.format === undefined ? null : JSON.stringify(batch.format),
      lastSlot: batch.lastSlot,
      at: batch.at,
      actor: actor ?? null,
    },
  )
  return Number(added?.number)
}

const insertRows = async (
  statements: Statements,
  batch: number,
  { rows, slotOf }: PlannedRows,
): Promise<void> => {
  const cards: Value[][] = []
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT', 'BIGINT', 'TEXT', 'TEXT'],
    listRows(batch, rows, (row) => cards.push([batch, cards.length, row, slotOf(cards.length), 'wanted'])),
    (list) =>
      `INSERT INTO batch_rows (batch, row, line, sku, product_type, quote, quantity, cells, given)
       SELECT * FROM ${list} AS rows`,
  )
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT'],
    cards,
    (list) => `INSERT INTO batch_cards (batch, card, row, slot, state) SELECT * FROM ${list} AS cards`,
  )
}

function* listRows(
  batch: number,
  rows: PlannedRows['rows'],
  addCard: (row: number) => void,
): Generator<readonly Value[]> {
  let row = 0
  for (const { line, sku, productType, quote, quantity, cells, given } of rows) {
    const texts = given === undefined ? null : JSON.stringify(given)
    yield [batch, row, line, sku, productType, quote, quantity, JSON.stringify(cells), texts]
    for (let left = quantity; left > 0; left -= 1) addCard(row)
    row += 1
  }
}
