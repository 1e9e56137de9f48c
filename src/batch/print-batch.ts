// Prints a batch, and what to type next: as JSON or a screen, and the exit code that its state means. Also the failures of a
// batch that was cancelled, or whose plan was replaced.

import { formatOf, type OutputOptions, outputFor, warnOfRefuted } from '../app/output/output.ts'
import { warnProse, writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { type Decimal, parseDecimal, zero } from '../contract/money/decimal.ts'
import { formatUtcTime } from '../contract/time.ts'
import { exitCodes, Failure } from '../errors.ts'
import type { Actor } from '../journal/accounts.ts'
import { readApproval } from '../journal/batches/approvals.ts'
import { type Batch, getBatch } from '../journal/batches/batches.ts'
import {
  listCardErrors,
  listDoubleOrders,
  listRefutedOrders,
  listUnknownOrders,
} from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import { type ApprovalStatus, findApprovalStatus, writeApprove } from '../operations/approval.ts'
import { nameActor } from '../text/words.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { describeCount } from '../ui/text/formats.ts'
import { listNames, type ResultFields, readFields } from '../ui/text/result-fields.ts'
import { adviseRest, findFaceValueIn, type OpenedBatch } from './open-batch.ts'
import { describeDoubleOrders, listNextSteps, renderBatch } from './screens/batch.ts'
import { approvedFields, type FaceValue, formatSpentOf, type ListedBatch } from './screens/batches.ts'
import { type BatchSummary, summarizeBatch } from './summary.ts'

type PrintOptions = {
  readonly now?: number | undefined
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
  { now, fields = approvedFields, printsSteps = true, showsBuyers = false, faceValues }: PrintOptions = {},
): Promise<void> => {
  const { batch, summary } = await summarizeBatch(opened, now)
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

export const maxTotalOf = ({ maxTotal }: Pick<Batch, 'maxTotal'>): Decimal | undefined =>
  maxTotal === undefined ? undefined : parseDecimal(maxTotal)

/** A batch that can still go on has the code 0. */
export const exitCodeOf = ({ state, cards }: BatchSummary): number => {
  if (cards.unknown > 0) return exitCodes.unknown.code
  if (state === 'stopped') return exitCodes.stopped.code
  if (cards.open > 0 || cards.delivered === cards.ordered) return exitCodes.ok.code
  return cards.delivered + cards.duplicate > 0 ? exitCodes.partial.code : exitCodes.failed.code
}

/** Undefined if the batch needs no approval and has none. */
export const readApprovalStatus = async (
  { journal, batch }: OpenedBatch,
  summary: Pick<BatchSummary, 'state'>,
): Promise<ApprovalStatus | undefined> => {
  const state = await readApproval(journal.read, batch)
  // A finished batch needs no further approval, so a newer request is ignored.
  const isOther =
    ['successful', 'cancelled'].includes(summary.state) && state?.request?.cap !== batch.maxTotal
  return state && findApprovalStatus(batch, isOther ? { ...state, request: undefined } : state)
}

export const refuseCancelled = (batch: Batch): void => {
  if (batch.cancelledAt !== undefined) throw createCancelledFailure(batch)
}

/** Nothing was sent. */
const createCancelledFailure = ({ name }: Batch): Failure =>
  new Failure('batch-cancelled', `the batch ${name} is cancelled; nothing was sent`, {
    advice: 'Put the rows that were not delivered into a file, and run it with another --name.',
  })

/** Nothing was sent. */
export const createReplacedFailure = ({ name }: Batch): Failure =>
  new Failure('batch-changed', `the plan of the batch ${name} was replaced; nothing was sent`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })

/** Of a batch that changed meanwhile. */
export const findChange = async ({ journal, batch }: OpenedBatch): Promise<Failure> =>
  (await getBatch(journal.read, batch.number)) === undefined
    ? createReplacedFailure(batch)
    : createCancelledFailure(batch)

export const createCancelledRunFailure = (batch: Batch, { spent, cards }: BatchSummary): Failure => {
  const { name, cancelledBy, cancelledAt } = batch
  const who = cancelledBy === undefined ? '' : ` by ${describeActor(cancelledBy)}`
  const when = cancelledAt === undefined ? '' : ` at ${formatUtcTime(cancelledAt)}`
  const outcome = `${formatSpentOf(spent, batch)} spent, ${cards.delivered} of ${describeCount(cards.ordered, 'card')} delivered`
  return new Failure(
    spent.gt(zero) ? 'partial' : 'batch-cancelled',
    `the batch ${name} was cancelled${who}${when} while it ran; ${outcome}`,
    { fix: (suggest) => suggest`batch show ${name}` },
  )
}

/** 'carla (root on web-1)', or 'root on web-1' in the journal of one machine. */
const describeActor = (actor: Actor): string => {
  const { role, user, host } = actor
  return nameActor(actor, role === null ? `${user} on ${host}` : `${role} (${user} on ${host})`)
}
