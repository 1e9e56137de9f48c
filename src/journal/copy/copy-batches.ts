// Copies batches with their rows and cards, each in one transaction.
import { foldReference } from '../../contract/reference.ts'
import type { Row, Statements } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import { batchCards, batches, batchRows } from '../tables/batches.ts'
import { type CopiedColumn, listCopiedColumns } from '../tables/list.ts'
import type { RunTransaction, Tables } from '../tables.ts'
import { findCopies, insertCopies, type Origin, readOrigin, selectOrigins } from './copied-rows.ts'
import type { RenamedBatch } from './counts.ts'
import { mergeBatch, mergeCards } from './merge-batch.ts'
import { type Numbers, toValues } from './numbers.ts'
import type { CopySource } from './source.ts'

const batchColumns = listCopiedColumns(batches)
const rowColumns = listCopiedColumns(batchRows)
const cardColumns = listCopiedColumns(batchCards)

type CopiedBatch = {
  readonly number: bigint
  readonly kind: 'new' | 'updated' | 'same'
  readonly renamed?: RenamedBatch
}

/** Returns the numbers of the batches in the target, by those in the source. */
export const copyBatches = async (
  source: CopySource,
  runTransaction: RunTransaction,
  { accounts, actors }: Omit<Numbers, 'batches'>,
  onCopied: (copied: CopiedBatch) => void,
): Promise<Map<unknown, bigint>> => {
  const numbers = new Map<unknown, bigint>()
  const where = `account IN (${[...accounts.keys()].join(', ')})`
  for (const row of await source.all(selectOrigins('batch', where))) {
    const mapped = {
      actor: actors.get(row.actor) ?? null,
      cancelled_by: actors.get(row.cancelled_by) ?? null,
    }
    const batch = { ...row, account: accounts.get(row.account), ...mapped }
    const origin = readOrigin('batch', row, source.id)
    const copied = await runTransaction((tables) => copyBatch(source, tables, batch, origin))
    numbers.set(row.number, copied.number)
    onCopied(copied)
  }
  return numbers
}

const copyBatch = async (
  source: CopySource,
  tables: Tables,
  batch: Row,
  origin: Origin,
): Promise<CopiedBatch> => {
  const { statements } = tables
  const cards = await source.all('SELECT * FROM batch_cards WHERE batch = $batch ORDER BY card', {
    batch: batch.number as bigint,
  })
  const [known] = await findCopies(statements, 'batch', [origin])
  if (known !== undefined) {
    const isUpdated = await updateBatch(tables, known, batch, cards)
    return { number: known, kind: isUpdated ? 'updated' : 'same' }
  }
  const name = await findFreeName(statements, batch)
  const named = { ...batch, name, name_fold: foldReference(name) }
  const [number = 0n] = await insertCopies(statements, 'batch', batchColumns, [
    { origin, values: toValues(named, batchColumns) },
  ])
  const rows = await source.all('SELECT * FROM batch_rows WHERE batch = $batch ORDER BY row', {
    batch: batch.number as bigint,
  })
  await insertAll(statements, 'batch_rows', rowColumns, rows, number)
  await insertAll(statements, 'batch_cards', cardColumns, cards, number)
  const from = String(batch.name)
  return { number, kind: 'new', ...(name === from ? {} : { renamed: { from, to: name } }) }
}

/**
 * A batch of the target may have the name. To refuse the copy would be no help: a batch that was started can neither
 * be deleted nor get another name.
 */
const findFreeName = async ({ all }: Statements, { account, name }: Row): Promise<string> => {
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? String(name) : `${name}-${count}`
    const taken = await all('SELECT 1 FROM batches WHERE account = $account AND name_fold = $fold', {
      account: account as bigint,
      fold: foldReference(free),
    })
    if (taken.length === 0) return free
  }
}

const insertAll = (
  statements: Statements,
  table: string,
  columns: readonly CopiedColumn[],
  rows: readonly Row[],
  batch: bigint,
): Promise<void> =>
  runForRows(
    statements,
    columns.map(([, kind]) => kind),
    rows.map((row) => toValues({ ...row, batch }, columns)),
    (list) =>
      `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) SELECT * FROM ${list} AS rows`,
  )

const updateBatch = async (
  { statements, slots }: Tables,
  number: bigint,
  batch: Row,
  cards: readonly Row[],
): Promise<boolean> => {
  await slots.lockBatch(Number(number))
  const [known] = await statements.all('SELECT * FROM batches WHERE number = $number', { number })
  if (known === undefined) return false
  const merged = mergeBatch(known, batch)
  if (merged !== undefined) {
    await statements.run(
      `UPDATE batches SET last_slot = $last_slot, max_total = $max_total, stopped = $stopped,
         started_at = $started_at, changed_at = $changed_at, cancelled_at = $cancelled_at
       WHERE number = $number`,
      { ...merged, number },
    )
  }
  const ours = await statements.all(
    `SELECT * FROM batch_cards WHERE batch = $number ORDER BY card ${statements.dialect.forUpdate}`,
    { number },
  )
  const changes = mergeCards({ batch: known, cards: ours }, { batch, cards })
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT'],
    changes.map(({ card, slot, state, error, hash }) => [
      ...[number, card as bigint, slot as bigint],
      ...[state as string, error as string | null, hash as string | null],
    ]),
    (list) =>
      `UPDATE batch_cards SET slot = column3, state = column4, error = column5, hash = column6
       FROM ${list} AS changes WHERE batch = column1 AND card = column2`,
  )
  return merged !== undefined || changes.length > 0
}
