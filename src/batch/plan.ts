// The steps of `orderctl batch plan`: options → rows and name → plan → saved in the journal → shown.

import { accountOf } from '../app/account.ts'
import { journalsOf } from '../app/journals.ts'
import { formatOf, outputFor } from '../app/output/output.ts'
import { writeNote, writeProse } from '../app/terminal.ts'
import { findAssistant } from '../cli/variables.ts'
import type { Context } from '../context.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { listNames, readFields } from '../ui/text/result-fields.ts'
import { noteEqualRows, readPlan, savePlan } from './make-plan.ts'
import { findFaceValueIn, findFaceValues } from './open-batch.ts'
import { renderPlan } from './screens/batch.ts'
import { adviseBuy, plannedFields, renderReading } from './screens/batches.ts'
import type { PlanOptions } from './spec.ts'
import { summarizeBatch } from './summary.ts'

export const planBatch = async (context: Context, options: PlanOptions): Promise<void> => {
  const account = await accountOf(context, options, { needsKey: false })
  const { plan, reading, unsold } = await readPlan(context, account, options)
  if (unsold !== undefined) throw unsold
  const faceValues = await findFaceValues(context, account, plan.rows)
  await using journals = journalsOf(context, account, options)
  const journal = await journals.openOrCreate()
  const { batch, isNew, hasCancelled } = await savePlan(journal, plan, {
    at: journals.clock.now(),
    // A person may have read the rows already.
    replacesPlan:
      context.assistant === undefined &&
      (account.kind === 'sandbox' || findAssistant(context.environment) === undefined),
  })
  const { summary } = await summarizeBatch({ journal, batch })
  await outputFor(context, options).print({
    names: listNames(plannedFields),
    data: () => readFields(plannedFields, { batch, summary, faceValues, reading }),
    ids: [batch.name],
    screen: () => {
      const view = viewOf(context)
      const columns = reading === undefined ? '' : `${renderReading(reading, view)}\n`
      return `${renderPlan({ batch, summary, faceValues }, view)}${columns}`
    },
  })
  if (hasCancelled) writeNote(context, 'The earlier batch of this name bought nothing, and is cancelled\n')
  noteEqualRows(context, plan)
  if (formatOf(options) === 'screen') {
    const needed = findFaceValueIn(batch.wallet, faceValues)
    const done = isNew ? 'Nothing was sent' : 'This plan was saved earlier'
    const cap = batch.maxTotal ?? (needed && formatDecimal(needed))
    writeProse(context, `${done}. ${adviseBuy(batch, context.suggest, cap)}\n`)
  }
}
