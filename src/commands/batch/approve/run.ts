// The steps of `orderctl batch approve`: options → batch → what it would spend → consent → approved → shown.

import { ownerOf } from '../../../app/journal/place.ts'
import { writeNote } from '../../../app/notes.ts'
import { formatOf } from '../../../app/output/output.ts'
import type { Context } from '../../../context.ts'
import { formatDuration } from '../../../contract/duration.ts'
import { type Decimal, decimal, formatAmount, formatDecimal } from '../../../contract/money/decimal.ts'
import { Failure, interruption, type Remedy } from '../../../errors.ts'
import { getAccount } from '../../../journal/accounts.ts'
import { type ApprovalState, readApproval, recordApproval } from '../../../journal/batches/approvals.ts'
import { type Batch, getBatch } from '../../../journal/batches/batches.ts'
import { listBatchRows } from '../../../journal/batches/cards.ts'
import { listBarredRoles, needsApproval, writeApprove } from '../../../operations/approval.ts'
import { hasRows, isGenuinePlan } from '../../../operations/batch/plan/identify.ts'
import { type Summarized, summarizeAgain } from '../../../operations/batch/summary.ts'
import type { Account } from '../../../profiles/account.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import { formatMoney } from '../../../ui/text/formats.ts'
import { refuseCancelled } from '../cancelled.ts'
import { findFaceValues } from '../face-values.ts'
import { findBatch, type OpenedBatch, withBatch } from '../open-batch.ts'
import { printBatch, readApprovalStatus } from '../print-batch.ts'
import { isAsked } from '../run/consent.ts'
import { approvedFields } from '../screens/batches.ts'
import type { ApproveOptions } from '../spec.ts'
import { type Granted, renderApproved, renderRequest } from './screen.ts'

export const approveBatch = (context: Context, options: ApproveOptions): Promise<void> =>
  withBatch(context, options, 'openOrCreate', async (opened, account) => {
    let current = opened
    let granted = await approvePlan(context, current, account, options)
    while (granted === undefined) {
      writeNote(context, `The batch ${sanitize(current.batch.name)} has changed\n`)
      const batch = await findBatch(opened.journal, ownerOf(account), current.batch.name)
      current = { ...opened, batch }
      granted = await approvePlan(context, current, account, options)
    }
    if (formatOf(options) === 'screen') {
      const [line, ...notes] = renderApproved(context, current.batch, granted)
      context.stdout.write(`${line}\n`)
      for (const note of notes) writeNote(context, `${note}\n`)
    } else
      await printBatch(context, current, options, {
        fields: approvedFields,
        readApproval: (read) => readApprovalStatus(read),
      })
  })

/** Undefined if the batch has another plan by now, or was cancelled. */
const approvePlan = async (
  context: Context,
  opened: OpenedBatch,
  account: Account,
  options: ApproveOptions,
): Promise<Granted | undefined> => {
  const { journal, batch } = opened
  const { id, name, wallet } = batch
  const state = await readApproval(journal.read, batch)
  const rows = await listBatchRows(journal.read, batch.number)
  const summarized = await summarizeAgain(opened)
  if ((await getBatch(journal.read, batch.number)) === undefined) return undefined
  if (state === undefined) {
    const problem = `the batch ${name} is in the journal of this machine, which has no approvals`
    throw new Failure('usage', problem, {
      advice:
        'Approvals need a journal that a team shares. Set ORDERCTL_JOURNAL=postgres://user@host/database.',
    })
  }
  const cap = findCap(batch, state, options)
  refuseUseless(summarized, state, cap)
  // The server refuses this, too. The check comes before the prompt and has a clearer message.
  if (state.cannotApprove || listBarredRoles(state).includes(state.ownRole))
    throw createOwnFailure(batch, state)
  const accountId = await getAccount(journal.read, batch.account)
  if (accountId === undefined || !hasRows(batch, accountId, rows)) throw createForgedFailure(batch)
  const asks = isAsked(context, options)
  const isShown = asks || formatOf(options) === 'screen'
  if (isShown) {
    const faceValues = await findFaceValues(context, account, rows)
    context.stderr.write(renderRequest(context, { ...summarized, rows, faceValues, state, cap }))
  }
  const remedy: Remedy = {
    fix: (suggest) => suggest`batch show ${name} --rows`,
    advice: (suggest) =>
      isShown
        ? `If this plan is right: ${writeApprove(suggest, batch, lowerToRequest(cap, state))}`
        : 'Read the plan first.',
  }
  refuseMismatch(batch, state, cap, options, remedy)
  if (asks) {
    const question = `Approve the batch ${sanitize(name)} up to ${formatMoney(cap, wallet)} for ${formatDuration(options.for)}?`
    if (!(await context.askYesNo(question)))
      throw interruption(context.interrupted, 'the batch was not approved; nothing has changed')
  } else if (options.plan === undefined || options.maxTotal === undefined) {
    const problem = 'without a prompt, batch approve needs --plan and --max-total; nothing was approved'
    throw new Failure('usage', problem, remedy)
  }
  const approved = await recordApproval(journal, batch.number, {
    planId: id,
    cap: formatDecimal(cap),
    forMs: options.for,
    isGenuine: (plan) => isGenuinePlan(batch, accountId, plan),
  })
  if (approved.kind === 'own') throw createOwnFailure(batch, state)
  if (approved.kind === 'forged') throw createForgedFailure(batch)
  return approved.kind === 'changed' ? undefined : { state, cap, until: approved.until }
}

const findCap = ({ name }: Batch, { request }: ApprovalState, { maxTotal }: ApproveOptions): Decimal => {
  if (maxTotal !== undefined) return maxTotal
  if (request !== undefined) return decimal(request.cap)
  throw new Failure('usage', `--max-total is missing: no one has asked for a cap of the batch ${name} yet`, {
    field: '--max-total',
    advice: 'Add --max-total and the cap to approve.',
  })
}

const refuseUseless = ({ batch, summary }: Summarized, { limits }: ApprovalState, cap: Decimal): void => {
  const { name, wallet } = batch
  refuseCancelled(batch)
  if (summary.cards.open + summary.cards.unknown + summary.cards.failed === 0) {
    throw new Failure('usage', `nothing to approve: the batch ${name} is complete (${summary.state})`, {
      fix: (suggest) => suggest`batch show ${name}`,
    })
  }
  if (needsApproval(cap, limits)) return
  const problem = `the batch ${name} needs no approval for a cap of ${formatMoney(cap, wallet)}`
  throw new Failure('usage', problem, {
    fix: (suggest) => suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`,
  })
}

/** Lowers the cap to the requested cap, if there is a request. */
const lowerToRequest = (cap: Decimal, { request }: ApprovalState): Decimal =>
  request !== undefined && cap.gt(decimal(request.cap)) ? decimal(request.cap) : cap

/** The flags must not name another plan, or a cap above that of the request. */
const refuseMismatch = (
  { id, name, wallet }: Batch,
  state: ApprovalState,
  cap: Decimal,
  { plan = id }: ApproveOptions,
  remedy: Remedy,
): void => {
  if (plan !== id) {
    const problem = `the batch ${name} has another plan than ${plan}; nothing was approved`
    throw new Failure('refused', problem, { field: '--plan', ...remedy })
  }
  const asked = lowerToRequest(cap, state)
  if (cap.lte(asked)) return
  const [given, wanted] = [formatAmount(cap, wallet), formatAmount(asked, wallet)]
  const problem = `no one has asked for a cap of ${given} of the batch ${name}, but for ${wanted}; nothing was approved`
  throw new Failure('refused', problem, { field: '--max-total', ...remedy })
}

const createOwnFailure = ({ name }: Batch, { ownRole, plannedBy, cannotApprove }: ApprovalState): Failure => {
  const what = ownRole === plannedBy ? 'planned the batch' : 'asked for the cap of the batch'
  const why = cannotApprove ? 'has limits of its own' : `${what} ${name}`
  const problem = `the database role ${ownRole} ${why}, so it cannot approve ${cannotApprove ? `the batch ${name}` : 'it'}`
  return new Failure('not-approved', problem, {
    advice: (suggest) => `A different database role can approve it: ${suggest`batch approve ${name}`}`,
  })
}

const createForgedFailure = ({ name, id }: Batch): Failure =>
  new Failure('refused', `the rows of the batch ${name} do not match its id ${id}; nothing was approved`, {
    advice: 'Plan the rows again with batch plan, and give the batch another name.',
  })
