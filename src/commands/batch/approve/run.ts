// The steps of `orderctl batch approve`: options → batch → what it would spend → consent → approved → shown.
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatAmount, formatDecimal } from '../../../contract/decimal.ts'
import { formatDuration } from '../../../contract/duration.ts'
import { Failure, type Fix, interruption } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { type ApprovalState, readApproval, recordApproval } from '../../../journal/batches/approvals.ts'
import type { Batch, StoredRow } from '../../../journal/batches/batch.ts'
import { listBarredRoles, needsApproval, writeApprove } from '../../../operations/approval.ts'
import { hasRows, isGenuinePlan } from '../../../operations/batch/plan/identify.ts'
import { type Summarized, summarizeAgain } from '../../../operations/batch/summary.ts'
import type { Account } from '../../../profiles/account.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../../ui/text/amounts.ts'
import { ownerOf } from '../../shared/journal/place.ts'
import { writeNote } from '../../shared/notes.ts'
import { outputOf } from '../../shared/options.ts'
import { refuseCancelled } from '../cancelled.ts'
import { findFaceValues } from '../face-values.ts'
import { findBatch, type OpenedBatch, withBatch } from '../open-batch.ts'
import { printBatch, readApprovalStatus } from '../print-batch.ts'
import { isAsked } from '../run/consent.ts'
import type { ApproveOptions } from '../spec.ts'

/** Returns the exit code. */
export const approveBatch = (context: Context, options: ApproveOptions): Promise<number> =>
  withBatch(context, { ...options, mayWrite: true }, async (opened, account) => {
    let current = opened
    for (;;) {
      const granted = await approvePlan(context, current, account, options)
      if (granted !== undefined) {
        await printApproved(context, current, granted, options)
        return exitCodes.ok.code
      }
      writeNote(context, `The batch ${sanitize(current.batch.name)} has changed\n`)
      const batch = await findBatch(opened.batches, ownerOf(account), current.batch.name)
      current = { ...opened, batch }
    }
  })

type Granted = {
  /** Before this approval. */
  readonly state: ApprovalState
  readonly cap: Decimal
  readonly until: number
}

/** Undefined if the batch has another plan by now, or was cancelled. */
const approvePlan = async (
  context: Context,
  opened: OpenedBatch,
  account: Account,
  options: ApproveOptions,
): Promise<Granted | undefined> => {
  const { journal, batches, batch } = opened
  const state = await readApproval(journal, batch)
  const rows = await batches.listRows(batch.number)
  const summarized = await summarizeAgain(opened)
  if ((await batches.getBatch(batch.number)) === undefined) return undefined
  if (state === undefined) {
    throw new Failure(
      'usage',
      `the batch ${batch.name} is in the journal of this machine, which has no approvals`,
      {
        fix: 'Approvals need a journal that a team shares: set ORDERCTL_JOURNAL=postgres://user@host/database.',
      },
    )
  }
  const cap = findCap(batch, state, options)
  refuseUseless(summarized, state, cap)
  refuseOwn(batch, state)
  const accountId = await journal.getAccount(batch.account)
  if (accountId === undefined || !hasRows(batch, accountId, rows)) throw createForgedFailure(batch)
  const asks = isAsked(context, options)
  const isShown = asks || outputOf(options).format === 'screen'
  if (isShown) await showRequest(context, account, { ...summarized, rows, state, cap })
  requireMatch(batch, { state, cap, options, asks, isShown })
  if (asks) await askForConsent(context, batch, cap, options)
  const approved = await recordApproval(journal, batch.number, {
    planId: batch.id,
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
  throw new Failure('usage', `--max-total is missing: nobody has asked for a cap of the batch ${name} yet`, {
    field: '--max-total',
    fix: 'Add --max-total and the cap to approve.',
  })
}

const refuseUseless = ({ batch, summary }: Summarized, { limits }: ApprovalState, cap: Decimal): void => {
  refuseCancelled(batch)
  if (summary.cards.open + summary.cards.unknown + summary.cards.failed === 0) {
    throw new Failure('usage', `nothing to approve: the batch ${batch.name} is complete (${summary.state})`, {
      fix: (suggest) => suggest`batch show ${batch.name}`,
    })
  }
  if (needsApproval(cap, limits)) return
  throw new Failure(
    'usage',
    `the batch ${batch.name} needs no approval for a cap of ${formatMoney(cap, batch.wallet)}`,
    {
      fix: (suggest) =>
        `Anybody can run it: ${suggest`batch run ${batch.name} ${{ 'max-total': formatDecimal(cap) }}`}`,
    },
  )
}

/** The server refuses it, too. This is a clearer message, before the prompt. */
const refuseOwn = (batch: Batch, state: ApprovalState): void => {
  if (listBarredRoles(state).includes(state.ownRole)) throw createOwnFailure(batch, state)
}

type Request = Summarized & {
  readonly rows: readonly StoredRow[]
  readonly state: ApprovalState
  readonly cap: Decimal
}

const showRequest = async (context: Context, account: Account, request: Request): Promise<void> => {
  const rows = request.rows.map((row) => ({ ...row, quote: decimal(row.quote) }))
  const faceValues = await findFaceValues(context, account, rows)
  const { requestScreen } = await import('./screen.ts')
  context.stderr.write(requestScreen(context, { ...request, rows, faceValues }))
}

type Match = Pick<Request, 'state' | 'cap'> & {
  readonly options: ApproveOptions
  readonly asks: boolean
  readonly isShown: boolean
}

/** Without a prompt, the flags say what is approved. A failure names the command only if the plan was shown. */
const requireMatch = (
  batch: Batch,
  { state: { request }, cap, options: { plan: planId, maxTotal }, asks, isShown }: Match,
): void => {
  const { name, wallet } = batch
  const asked = request === undefined ? undefined : decimal(request.cap)
  const isHigher = asked !== undefined && cap.gt(asked)
  const fix: Fix = (suggest) =>
    isShown
      ? `If this plan is right: ${writeApprove(suggest, batch, isHigher ? asked : cap)}`
      : `Read the plan first: ${suggest`batch show ${name} --rows`}`
  if (planId !== undefined && planId !== batch.id) {
    const problem = `the batch ${name} has another plan than ${planId}; nothing was approved`
    throw new Failure('refused', problem, { field: '--plan', fix })
  }
  if (isHigher) {
    const [given, wanted] = [formatAmount(cap, wallet), formatAmount(asked, wallet)]
    const problem = `nobody has asked for a cap of ${given} of the batch ${name}, but for ${wanted}; nothing was approved`
    throw new Failure('refused', problem, { field: '--max-total', fix })
  }
  if (!asks && (planId === undefined || maxTotal === undefined)) {
    const problem = 'without a prompt, batch approve needs --plan and --max-total; nothing was approved'
    throw new Failure('usage', problem, { fix })
  }
}

const createOwnFailure = ({ name }: Batch, { ownRole, plannedBy }: ApprovalState): Failure =>
  new Failure(
    'not-approved',
    `the database role ${ownRole} ${ownRole === plannedBy ? 'planned the batch' : 'asked for the cap of the batch'} ${name}, so it cannot approve it`,
    { fix: (suggest) => `Another database role approves it: ${suggest`batch approve ${name}`}` },
  )

const createForgedFailure = ({ name, id }: Batch): Failure =>
  new Failure('refused', `the rows of the batch ${name} do not match its id ${id}; nothing was approved`, {
    fix: 'Plan the rows again with batch plan, and give the batch another name.',
  })

const askForConsent = async (
  context: Context,
  { name, wallet }: Batch,
  cap: Decimal,
  { for: forMs }: ApproveOptions,
): Promise<void> => {
  const question = `Approve the batch ${sanitize(name)} up to ${formatMoney(cap, wallet)} for ${formatDuration(forMs)}?`
  if (await context.confirm(question)) return
  throw interruption(context.interrupted, 'the batch was not approved; nothing has changed')
}

const printApproved = async (
  context: Context,
  opened: OpenedBatch,
  granted: Granted,
  options: ApproveOptions,
): Promise<void> => {
  const output = outputOf(options)
  if (output.format !== 'screen') {
    await printBatch(context, opened, output, { readApproval: readApprovalStatus })
    return
  }
  const { approvedLines } = await import('./screen.ts')
  const { line, notes } = approvedLines(context, opened.batch, granted)
  context.stdout.write(`${line}\n`)
  for (const note of notes) writeNote(context, `${note}\n`)
}
