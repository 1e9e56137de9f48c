// Prints a batch, and what to type next. A batch as JSON, and the exit code that its state means.
import type { Context } from '../../context.ts'
import { type Decimal, decimal, parseDecimal } from '../../contract/money/decimal.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readApproval } from '../../journal/batches/approvals.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import { type Buyer, listBuyers } from '../../journal/batches/claims.ts'
import { type ApprovalStatus, findApprovalStatus, writeApprove } from '../../operations/approval.ts'
import { type BatchSummary, summarizeAgain } from '../../operations/batch/summary.ts'
import { listNextSteps, maxErrors, renderBatch } from '../../ui/screens/batch/batch.ts'
import type { FaceValue } from '../../ui/screens/batch/batches.ts'
import { supportsUnicode } from '../../ui/terminal/view.ts'
import { formatIso } from '../../ui/text/time.ts'
import { writeNote } from '../shared/notes.ts'
import type { OutputOptions } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { viewOf } from '../shared/output/view-of.ts'
import type { OpenedBatch } from './open-batch.ts'

type PrintOptions = {
  readonly now?: number | undefined
  readonly printsSteps?: boolean
  /** Shows whose orders are not finished. */
  readonly showsBuyers?: boolean
  readonly faceValues?: readonly FaceValue[]
  /** Reads the approval to show. */
  readonly readApproval?: (opened: OpenedBatch, summary: BatchSummary) => Promise<ApprovalStatus | undefined>
}

export const printBatch = async (
  context: Context,
  opened: OpenedBatch,
  output: OutputOptions,
  { now, printsSteps = true, showsBuyers = false, faceValues, readApproval }: PrintOptions = {},
): Promise<void> => {
  const { batch, summary } = await summarizeAgain(opened, now)
  const approval = await readApproval?.({ ...opened, batch }, summary)
  const buyers = showsBuyers ? await readBuyers(opened) : undefined
  await outputFor(context, output).print({
    data: () => ({
      ...summaryData(batch, summary),
      ...(faceValues === undefined ? {} : { faceValues: faceValuesData(faceValues) }),
      ...(readApproval === undefined ? {} : { approval: approvalData(approval) }),
      ...(buyers === undefined ? {} : { buyers: buyers.map(buyerData) }),
    }),
    ids: [batch.name],
    screen: async () => {
      const [unknownOrders, errors] = await Promise.all([
        summary.cards.unknown === 0 ? [] : opened.batches.listUnknown(batch.number),
        opened.batches.listErrors(batch.number, maxErrors + 1),
      ])
      const hasUnicode = supportsUnicode(context.environment, context.platform)
      const shown = { batch, summary, faceValues, unknownOrders, errors, buyers, approval, hasUnicode }
      return renderBatch(shown, viewOf(context))
    },
  })
  if (!printsSteps || output.format !== 'screen') return
  const { suggest } = context
  const approve = approval?.cap && writeApprove(suggest, batch, approval.cap)
  for (const step of listNextSteps({ batch, summary, approval, buyers, suggest, approve })) {
    writeNote(context, `${step}\n`)
  }
}

export const faceValuesData = (faceValues: readonly FaceValue[]) =>
  faceValues.map(({ amount, currency }) => ({ amount, currency: currency ?? null }))

export const maxTotalOf = ({ maxTotal }: Pick<Batch, 'maxTotal'>): Decimal | undefined =>
  maxTotal === undefined ? undefined : parseDecimal(maxTotal)

export const summaryData = (batch: Batch, summary: BatchSummary) => {
  const { id, name, wallet, by, cancelledBy } = batch
  const { state, rows, orders, spent, cards } = summary
  const { ordered, delivered, failed, duplicate, unknown } = cards
  return {
    batch: id,
    name,
    state,
    stopped: state === 'stopped' ? (batch.stopped ?? null) : null,
    rows,
    cards: { ordered, delivered, failed, duplicate, unknown },
    orders,
    spent,
    wallet,
    maxTotal: maxTotalOf(batch) ?? null,
    by: by ?? null,
    cancelledBy: cancelledBy ?? null,
  }
}

/** A batch that can still go on has the code 0. */
export const exitCodeOf = ({ state, cards }: BatchSummary): number => {
  if (cards.unknown > 0) return exitCodes.unknown.code
  if (state === 'stopped') return exitCodes.stopped.code
  if (cards.open > 0 || cards.delivered === cards.ordered) return exitCodes.ok.code
  return cards.delivered + cards.duplicate > 0 ? exitCodes.partial.code : exitCodes.failed.code
}

export const readBuyers = ({ journal, batch }: OpenedBatch): Promise<Buyer[]> =>
  journal.read((access) => listBuyers(access, batch.number))

const buyerData = ({ by, buying, waiting, seenAt, until }: Buyer) => ({
  by: by ?? null,
  ...{ buying, waiting },
  changedAt: formatIso(seenAt),
  until: formatIso(until),
})

/**
 * `ofRun`: only for the cap of the last run, because somebody may have asked for another cap since then. Undefined if the
 * batch needs no approval and has none.
 */
export const readApprovalStatus = async (
  { journal, batch }: Pick<OpenedBatch, 'journal' | 'batch'>,
  { ofRun = false } = {},
): Promise<ApprovalStatus | undefined> => {
  const state = await readApproval(journal, batch)
  const isOther = ofRun && state?.request?.cap !== batch.maxTotal
  return state && findApprovalStatus(batch, isOther ? { ...state, request: undefined } : state)
}

export const approvalData = (status: ApprovalStatus | undefined) => {
  if (status === undefined) return null
  const { state, cap, request, approval } = status
  return {
    state,
    maxTotal: cap ?? null,
    askedBy: request?.role ?? null,
    askedAt: formatIso(request?.askedAt),
    approvedMaxTotal: approval === undefined ? null : decimal(approval.cap),
    approvedBy: approval?.role ?? null,
    approvedAt: formatIso(approval?.approvedAt),
    until: formatIso(approval?.until),
  }
}
