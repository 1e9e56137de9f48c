// The steps of `orderctl batch list`.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { openBatches } from '../../journal/batches/batches.ts'
import { summarizeBatch } from '../../operations/batch/summary.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import { findListedAccount, refuseUnknownProfile } from '../shared/listed-account.ts'
import { writeNote } from '../shared/notes.ts'
import { outputOf } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { summaryData } from './print-batch.ts'
import type { ListOptions } from './spec.ts'

/** Returns the exit code. */
export const listBatches = async (context: Context, options: ListOptions): Promise<number> => {
  const { profile, limit } = options
  const output = outputOf(options)
  const journals = journalsOf(context, await findListedAccount(context, profile), options)
  try {
    const journal = await journals.openToRead()
    if (options.waiting) {
      const { listWaiting } = await import('./approval/list-waiting.ts')
      return await listWaiting(context, journal, { profile, limit, output })
    }
    const batches = journal && openBatches(journal)
    const found = (await batches?.listBatches({ profile, limit: limit + 1 })) ?? []
    if (found.length === 0) await refuseUnknownProfile(context, journal, profile)
    const all =
      batches === undefined
        ? []
        : await readInParallel(found.slice(0, limit), async (batch) => ({
            batch,
            summary: await summarizeBatch(batches, batch),
          }))
    if (found.length > all.length) {
      const shown = limit === 1 ? 'batch only' : `${limit} batches`
      writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
    }
    if (all.length === 0) writeNote(context, 'No batches\n')
    await outputFor(context, output).print({
      data: () => all.map(({ batch, summary }) => summaryData(batch, summary)),
      ids: all.map(({ batch }) => batch.name),
      screen: async () => (all.length === 0 ? '' : (await import('./screen.ts')).batchesScreen(context, all)),
    })
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}
