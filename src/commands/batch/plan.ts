// The steps of `orderctl batch plan`: options → rows → plan → saved in the journal → shown.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import { exitCodes } from '../../exit-codes.ts'
import { openBatches } from '../../journal/batches/batches.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Plan, savePlan } from '../../operations/batch/plan/plan.ts'
import type { BatchRow } from '../../operations/batch/plan/rows.ts'
import { summarizeBatch } from '../../operations/batch/summary.ts'
import type { Account } from '../../profiles/account.ts'
import { renderPlan } from '../../ui/screens/batch/batch-plan.ts'
import { accountOf } from '../shared/account.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/place.ts'
import { outputOf } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { readEarlierProducts, warnOfProducts } from '../shared/products/earlier-products.ts'
import type { PlanOptions } from './buy-spec.ts'
import { findFaceValueIn, findFaceValues } from './face-values.ts'
import { faceValuesData, summaryData } from './print-batch.ts'
import { noteEqualRows, readPlan } from './read-plan.ts'

/** Returns the exit code. */
export const planBatch = async (context: Context, options: PlanOptions): Promise<number> => {
  const output = outputOf(options)
  const account = await accountOf(context, options, { needsKey: false })
  const { plan, unsold, hasList } = await readPlan(context, account, options)
  if (unsold !== undefined) throw unsold
  const faceValues = await findFaceValues(context, account, plan.rows.rows)
  const journals = journalsOf(context, account, options)
  try {
    const journal = await journals.openToWrite()
    if (!hasList) await warnOfUnknown(context, journal, account, plan)
    const batches = openBatches(journal)
    const at = journals.clock.now()
    // A person may have read the rows already.
    const replacesPlan = context.through === undefined
    const { batch, isNew } = await savePlan(batches, ownerOf(account), plan, { at, replacesPlan })
    const summary = await summarizeBatch(batches, batch)
    await outputFor(context, output).print({
      data: () => ({ ...summaryData(batch, summary), faceValues: faceValuesData(faceValues) }),
      ids: [batch.name],
      screen: () => renderPlan({ batch, summary, faceValues }, viewOf(context)),
    })
    noteEqualRows(context, plan)
    if (output.format === 'screen') {
      const { name, maxTotal } = batch
      const needed = maxTotal === undefined ? findFaceValueIn(batch.wallet, faceValues) : undefined
      const run = context.suggest`batch run ${name} ${{ 'max-total': needed && formatDecimal(needed) }}`
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

const warnOfUnknown = async (
  context: Context,
  journal: Journal,
  account: Account,
  { rows: { rows } }: Plan,
): Promise<void> => {
  const earlier = await readEarlierProducts(journal, account)
  const place = (row: BatchRow): string => (row.line === 0 ? '--product' : `line ${row.line}`)
  warnOfProducts(
    context,
    earlier,
    rows.values().map((row) => [place(row), row] as const),
  )
}
