// The end of a batch whose journal cannot be read any more: what this process has bought, as far as it knows.
import type { Context } from '../../../context.ts'
import { Failure, joinFixes } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { createSpool } from '../../../journal/spool/spool.ts'
import type { Counter } from '../../../operations/batch/batch-run.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { describeCount, formatMoney } from '../../../ui/text/amounts.ts'
import type { JournalPlace } from '../../shared/journal/place.ts'
import { parseJournalAddress } from '../../shared/journal/shared-place.ts'
import { findSpoolFolder } from '../../shared/journal/state-folder.ts'

export type Bought = {
  readonly counter: Counter
  readonly place: JournalPlace
  /** By the clock of the journal. */
  readonly endedAt: number
}

export const createLostFailure = (
  context: Context,
  { name, wallet }: Batch,
  { counter, place }: Bought,
  { message, details }: Failure,
): Failure => {
  const unknown = [...counter.unknown].map(sanitize)
  const saved = countSaved(context, place)
  const facts = [
    `this run has bought ${describeCount(counter.confirmed, 'order')}, ${formatMoney(counter.spent, wallet)} in all`,
    unknown.length === 0
      ? undefined
      : `the outcome of ${describeCount(unknown.length, 'order')} is unknown, and money may have been spent: ${unknown.join(', ')}`,
    saved === 0
      ? undefined
      : `${describeCount(saved, 'outcome')} saved on this machine, for the next orderctl command to write to the journal`,
  ].filter((fact) => fact !== undefined)
  const run = context.suggest`batch run ${name}`
  return new Failure(
    unknown.length > 0 ? 'unknown' : 'local-state',
    `the batch ${name} stopped, because its journal cannot be used: ${message}`,
    {
      violations: facts,
      retryable: unknown.length === 0,
      fix: joinFixes(
        details.fix,
        `Then run the batch again, on this machine: ${run}. It buys no card twice.`,
      ),
      cause: details.cause,
    },
  )
}

const countSaved = (context: Context, place: JournalPlace): number => {
  const folder = place.kind === 'file' ? undefined : findSpoolFolder(context)
  if (place.kind === 'file' || folder === undefined) return 0
  const { text } = parseJournalAddress(context, place.text)
  return createSpool(folder)
    .list()
    .filter(({ outcome }) => outcome?.address === text).length
}
