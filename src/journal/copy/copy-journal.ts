// Copies a journal from a SQLite file into another journal. It can run any number of times: each run copies what is new,
// and updates what the source knows better.
import { Failure } from '../../errors.ts'
import type { Statements } from '../database/database.ts'
import type { Journal, JournalParts } from '../journal.ts'
import type { RunTransaction } from '../tables.ts'
import { findConflicts } from './conflicts.ts'
import { copyBatches } from './copy-batches.ts'
import { copyLimits } from './copy-limits.ts'
import { copyOrders } from './copy-orders.ts'
import { copyReveals } from './copy-reveals.ts'
import type { CopyCounts, CopyResult, RenamedBatch } from './counts.ts'
import { mapAccounts, mapActors } from './numbers.ts'
import { type CopySource, openSource } from './source.ts'

/** Called after each transaction. */
export type OnProgress = (counts: CopyCounts) => void

/** Leases and the orders of the sandbox are not copied. Throws if the file is not a journal of this version. */
export const copyJournal = async (
  file: string,
  target: Journal,
  onProgress: OnProgress = () => {},
): Promise<CopyResult> => {
  const source = await openSource(file)
  try {
    const { copy } = target.openTables((parts) => ({
      copy: () => copyFrom(source, parts, onProgress, file),
    }))
    return await copy()
  } finally {
    await source.close()
  }
}

const copyFrom = async (
  source: CopySource,
  { tables, ...parts }: JournalParts,
  onProgress: OnProgress,
  file: string,
): Promise<CopyResult> => {
  const { statements } = tables
  const runTransaction: RunTransaction = (work) =>
    parts.runTransaction(async (inside) => {
      await waitForCopies(inside.statements)
      return work(inside)
    })
  await refuseItself(source, statements, file)
  let counts: CopyCounts = { orders: 0, calls: 0, reveals: 0, batches: 0, updated: 0 }
  const add = (more: Partial<CopyCounts>): void => {
    const keys = Object.keys(counts) as (keyof CopyCounts)[]
    counts = Object.fromEntries(keys.map((key) => [key, counts[key] + (more[key] ?? 0)])) as CopyCounts
    onProgress(counts)
  }
  const accounts = await runTransaction((inside) => mapAccounts(source, inside))
  const actors = await runTransaction((inside) => mapActors(source, inside.statements))
  const renamed: RenamedBatch[] = []
  const batches = await copyBatches(source, runTransaction, { accounts, actors }, (copied) => {
    if (copied.renamed !== undefined) renamed.push(copied.renamed)
    add({ batches: copied.kind === 'new' ? 1 : 0, updated: copied.kind === 'updated' ? 1 : 0 })
  })
  await copyOrders(source, runTransaction, { accounts, actors, batches }, add)
  add({ reveals: await copyReveals(source, runTransaction, { actors }) })
  const limits = await copyLimits(source, runTransaction, { accounts, actors })
  const earlier = await source.all("SELECT DISTINCT source FROM copies WHERE kind = 'order'")
  const sources = [source.id, ...earlier.map((row) => String(row.source))]
  return { ...counts, conflicts: await findConflicts(statements, sources), renamed, limits }
}

/** Two processes that copy the same file must see what the other has copied. */
const waitForCopies = async ({ dialect, run }: Statements): Promise<void> => {
  if (dialect.name === 'postgres') await run('LOCK TABLE copies IN SHARE ROW EXCLUSIVE MODE')
}

const refuseItself = async (
  { id }: CopySource,
  { all, dialect }: Statements,
  file: string,
): Promise<void> => {
  if (dialect.name !== 'sqlite') return
  const same = await all('SELECT 1 FROM orderctl_journal WHERE id = $id', { id })
  if (same.length > 0) {
    throw new Failure('usage', `${file} is the journal that is in use, or a copy of its file`)
  }
}
