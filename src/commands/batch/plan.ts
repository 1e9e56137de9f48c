// The steps of `orderctl batch plan`: options → rows → plan → saved in the journal → shown.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { openBatches } from '../../journal/batches/open-batches.ts'
import { savePlan } from '../../operations/batch/plan/plan.ts'
import { summarizeBatch } from '../../operations/batch/summary.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { outputFor } from '../shared/output/output.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { accountOf } from '../shared/session.ts'
import { findFaceValues } from './face-values.ts'
import type { PlanFlags } from './flags.ts'
import { readPlanOptions } from './options.ts'
import { readPlan } from './read-plan.ts'
import { summaryData } from './summary-data.ts'

/** Returns the exit code. */
export const planBatch = async (
  context: Context,
  file: string | undefined,
  flags: PlanFlags,
): Promise<number> => {
  const options = readPlanOptions(file, flags)
  const account = await accountOf(context, options.session, { needsKey: false })
  const plan = await readPlan(context, account, options.input)
  const faceValues = await findFaceValues(context, account, plan.rows.rows)
  const journals = journalsOf(context, account, flags)
  try {
    const batches = openBatches(await journals.open())
    const at = journals.clock.now()
    const { batch, isNew } = await savePlan(batches, ownerOf(account), plan, { at, replacesPlan: true })
    const summary = await summarizeBatch(batches, batch)
    await outputFor(context, options.output).print({
      data: () => ({
        ...summaryData(batch, summary),
        faceValues: faceValues.map(({ amount, currency }) => ({ amount, currency: currency ?? null })),
      }),
      ids: [batch.name],
      screen: async () => {
        const { renderPlan } = await import('../../ui/screens/batch/batch-plan.ts')
        return renderPlan({ batch, summary, faceValues }, viewOf(context))
      },
    })
    if (options.output.format === 'screen') {
      const name = quoteShellWord(sanitize(batch.name))
      const run = `orderctl batch run ${name}${batch.maxTotal === undefined ? ' --max-total AMOUNT' : ''}`
      const what = batch.startedAt !== undefined ? 'Continue the batch' : 'Buy the batch'
      context.stderr.write(
        isNew ? `Nothing was sent. ${what}: ${run}\n` : `This plan was saved earlier. ${what}: ${run}\n`,
      )
    }
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}
