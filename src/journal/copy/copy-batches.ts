// Copies batches with their rows and cards, each in one transaction. A batch that is here already is never changed.

import { createHash } from 'node:crypto'
import { foldReference } from '../../contract/order/reference.ts'
import type { WriteAccess } from '../access.ts'
import type { Row } from '../database/database.ts'
import { batchCards, batches, batchRows } from '../tables/batches.ts'
import { type CopySource, type CopyTarget, isCopied, type Transact } from './copied-rows.ts'

export const copyBatches = async (source: CopySource, transact: Transact) => {
  const here = new Map<unknown, bigint>()
  /** Batches whose name belongs to a different batch of the target. */
  const renamed: { readonly from: string; readonly to: string }[] = []
  const changed: string[] = []
  let added = 0
  for (const row of await source.readRows(batches, `WHERE ${isCopied} ORDER BY number`)) {
    const from = String(row.name)
    const copy = await transact((target) => copyBatch(source, target, row))
    here.set(row.number, copy.number)
    if (copy.isChanged) changed.push(from)
    if (copy.name === undefined) continue
    added += 1
    if (copy.name !== from) renamed.push({ from, to: copy.name })
  }
  source.numbers.batches = here
  return { batches: added, renamed, changed }
}

/** Returns the name of a new batch, and whether it was started, and changed in the source since it was copied. */
const copyBatch = async (source: CopySource, target: CopyTarget, batch: Row) => {
  const ofBatch = `WHERE batch = ${batch.number} ORDER BY`
  const cards = await source.readRows(batchCards, `${ofBatch} card`)
  const fingerprint = createFingerprint(batch, cards)
  const known = (await target.findCopies(batches, [batch])).get(batch.number)
  if (known !== undefined) {
    const isChanged = batch.started_at !== null && known.fingerprint !== fingerprint
    return { number: known.number as bigint, isChanged }
  }
  const name = await findFreeName(target.access, batch)
  const named = { ...batch, name, name_fold: foldReference(name) }
  const [number = 0n] = (await target.insertCopies(batches, [named], fingerprint)).values()
  const rows = await source.readRows(batchRows, `${ofBatch} row`)
  const withNumber = (row: Row): Row => ({ ...row, batch: number })
  await target.insertRows(batchRows, rows.map(withNumber))
  await target.insertRows(batchCards, cards.map(withNumber))
  return { number, name, isChanged: false }
}

const createFingerprint = (batch: Row, cards: readonly Row[]): string =>
  createHash('sha256')
    .update(JSON.stringify([batch, cards], (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('hex')

/**
 * A different batch may have the name. Refusing the copy would not help: a batch that was started can neither be
 * deleted nor renamed.
 */
const findFreeName = async (
  { all }: WriteAccess,
  { account, name, cancelled_at: cancelledAt }: Row,
): Promise<string> => {
  const others = cancelledAt === null ? 'cancelled_at IS NULL' : 'TRUE'
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? String(name) : `${name}-${count}`
    const taken = await all(
      `SELECT 1 FROM batches WHERE account = $account AND name_fold = $fold AND ${others}`,
      {
        account: account as bigint,
        fold: foldReference(free),
      },
    )
    if (taken.length === 0) return free
  }
}
