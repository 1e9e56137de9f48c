// Prints a batch, and what to type next: as JSON or a screen.

import { formatOf, type OutputOptions, outputFor, warnOfRefuted } from '../app/output/output.ts'
import { warnProse, writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import {
  listCardErrors,
  listDoubleOrders,
  listRefutedOrders,
  listUnknownOrders,
} from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import { writeApprove } from '../operations/approval.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { listNames, type ResultFields, readFields } from '../ui/text/result-fields.ts'
import { describeDoubleOrders, listNextSteps, renderBatch } from './screens/batch.ts'
import { approvedFields, type ListedBatch } from './screens/batches.ts'
import {
  adviseRest,
  type FaceValue,
  findFaceValueIn,
  type OpenedBatch,
  readApprovalStatus,
  type Summarized,
  summarizeBatch,
} from './summary.ts'

type PrintOptions = {
  /** If it is known already. */
  readonly summarized?: Summarized
  /** Of the JSON. */
  readonly fields?: ResultFields<ListedBatch>
  readonly printsSteps?: boolean
  /** Shows whose orders are not finished. */
  readonly showsBuyers?: boolean
  readonly faceValues?: readonly FaceValue[]
}

export const printBatch = async (
  context: Context,
  opened: OpenedBatch,
  output: OutputOptions,
  {
    summarized,
    fields = approvedFields,
    printsSteps = true,
    showsBuyers = false,
    faceValues,
  }: PrintOptions = {},
): Promise<void> => {
  const { batch, summary } = summarized ?? (await summarizeBatch(opened))
  const approval = await readApprovalStatus({ ...opened, batch }, summary)
  const buyers = showsBuyers ? await listBuyers(opened.journal.read, batch.number) : undefined
  const wrong = await listRefutedOrders(opened.journal.read, batch.number)
  const refuted = wrong.map(({ orderId = '' }) => orderId)
  const errors = formatOf(output) === 'screen' ? await listCardErrors(opened.journal.read, batch.number) : []
  await outputFor(context, output).print({
    names: listNames(fields),
    data: () => readFields(fields, { batch, summary, approval, buyers, faceValues, refuted }),
    ids: [batch.name],
    screen: async () => {
      const unknownOrders =
        summary.cards.unknown === 0 ? [] : await listUnknownOrders(opened.journal.read, batch.number)
      const shown = { batch, summary, faceValues, unknownOrders, errors, buyers, approval }
      return renderBatch(shown, viewOf(context))
    },
  })
  warnOfRefuted(context, refuted)
  for (const orders of (await listDoubleOrders(opened.journal.read, batch.number)).values()) {
    const ids = orders.map(({ orderId = '' }) => orderId)
    warnProse(context, describeDoubleOrders(ids, context.suggest))
  }
  if (!printsSteps || formatOf(output) !== 'screen') return
  const { suggest } = context
  const approve = approval?.cap && writeApprove(suggest, batch, approval.cap)
  const faceValue = faceValues && findFaceValueIn(batch.wallet, faceValues)
  const ofRest = await adviseRest({ ...opened, batch }, summary.spent, faceValue)
  const shown = { batch, summary, approval, buyers, errors, suggest, approve, faceValue, ofRest }
  for (const step of listNextSteps(shown)) writeNote(context, `${step}\n`)
}
