// Copies batches with their rows and cards, each in one transaction. A batch that is here already is never changed.
import { createHash } from 'node:crypto'
import { foldReference } from '../../contract/reference.ts'
import type { Run } from '../access.ts'
import type { Row, Statements } from '../database/database.ts'
import { batchCards, batches, batchRows } from '../tables/batches.ts'
import { findCopies, insertCopies, insertRows, type Numbers, readRows } from './copied-rows.ts'
import { type CopySource, isCopied } from './source.ts'

export const copyBatches = async (source: CopySource, runTransaction: Run, numbers: Numbers) => {
  const rows = await readRows(source, batches, `WHERE ${isCopied} ORDER BY number`, numbers)
  const here = new Map<unknown, bigint>()
  const renamed: { readonly from: string; readonly to: string }[] = []
  const changed: string[] = []
  let added = 0
  for (const row of rows) {
    const from = String(row.name)
    const copy = await runTransaction(({ statements }) => copyBatch(source, statements, row))
    here.set(row.number, copy.number)
    if (copy.isChanged) changed.push(from)
    if (copy.name === undefined) continue
    added += 1
    if (copy.name !== from) renamed.push({ from, to: copy.name })
  }
  return { batches: here, added, renamed, changed }
}

type CopiedBatch = {
  readonly number: bigint
  /** The name of a new batch. */
  readonly name?: string
  /** It was started, and changed in the source since it was copied. */
  readonly isChanged: boolean
}

const copyBatch = async (source: CopySource, statements: Statements, batch: Row): Promise<CopiedBatch> => {
  const ofBatch = `WHERE batch = ${batch.number} ORDER BY`
  const cards = await readRows(source, batchCards, `${ofBatch} card`)
  const fingerprint = createFingerprint(batch, cards)
  const known = (await findCopies(statements, batches, source, [batch])).get(batch.number)
  if (known !== undefined) {
    const isChanged = batch.started_at !== null && known.fingerprint !== fingerprint
    return { number: known.number as bigint, isChanged }
  }
  const name = await findFreeName(statements, batch)
  const named = { ...batch, name, name_fold: foldReference(name) }
  const [number = 0n] = (await insertCopies(statements, batches, source, [named], fingerprint)).values()
  const rows = await readRows(source, batchRows, `${ofBatch} row`)
  const withNumber = (row: Row): Row => ({ ...row, batch: number })
  await insertRows(statements, batchRows, rows.map(withNumber))
  await insertRows(statements, batchCards, cards.map(withNumber))
  return { number, name, isChanged: false }
}

const createFingerprint = (batch: Row, cards: readonly Row[]): string =>
  createHash('sha256')
    .update(JSON.stringify([batch, cards], (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('hex')

/**
 * Another batch may have the name. To refuse the copy would be no help: a batch that was started can neither be deleted
 * nor get another name.
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
