// The steps of `orderctl batch approve`: options → batch → what it would spend → consent → approved → shown.
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatDecimal } from '../../../contract/decimal.ts'
import { formatDuration } from '../../../contract/duration.ts'
import { Failure } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import type { ApprovalState } from '../../../journal/batches/approval-state.ts'
import { readApproval, recordApproval } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { needsApproval } from '../../../operations/approval.ts'
import { listBarredRoles } from '../../../operations/batch/approval-status.ts'
import { isGenuinePlan } from '../../../operations/batch/plan/check-plan.ts'
import { interruption } from '../../../operations/read.ts'
import type { Account } from '../../../profiles/account.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../../ui/text/money.ts'
import { findFaceValues } from '../face-values.ts'
import { type OpenedBatch, withBatch } from '../open-batch.ts'
import { summarizeAgain } from '../print-batch.ts'
import { refuseCancelled } from '../run/cancelled-failure.ts'
import type { Summarized } from '../screen.ts'
import {
  createChangedFailure,
  createForgedFailure,
  createLocalJournalFailure,
  createOwnFailure,
} from './approve-failures.ts'
import type { ApproveFlags } from './flags.ts'
import { type ApproveOptions, readApproveOptions } from './options.ts'
import { printApproved } from './print-approved.ts'

/** Returns the exit code. */
export const approveBatch = async (context: Context, named: string, flags: ApproveFlags): Promise<number> => {
  const options = readApproveOptions(context, flags)
  const search = { named, profile: flags.profile, input: flags.input, mayWrite: true }
  return withBatch(context, search, async (opened, account) => {
    const { journal, batch } = opened
    const state = await readApproval(journal, batch)
    if (state === undefined) throw createLocalJournalFailure(batch)
    const summarized = await summarizeAgain(opened)
    const cap = findCap(batch, state, options)
    refuseUseless(summarized, state, cap)
    refuseOwn(batch, state)
    await requireConsent(context, { opened, account, summarized, state, cap, options })
    const accountId = await journal.getAccount(batch.account)
    const approved = await recordApproval(journal, batch.number, {
      ...{ planId: batch.id, cap: formatDecimal(cap), forMs: options.forMs },
      isGenuine: (plan) => accountId !== undefined && isGenuinePlan(batch, accountId, plan),
    })
    if (approved.kind === 'own') throw createOwnFailure(batch, state)
    if (approved.kind === 'forged') throw createForgedFailure(batch)
    if (approved.kind === 'changed') throw createChangedFailure(batch)
    await printApproved(context, opened, { state, cap, until: approved.until, options })
    return exitCodes.ok.code
  })
}

const findCap = ({ name }: Batch, { request }: ApprovalState, { maxTotal }: ApproveOptions): Decimal => {
  if (maxTotal !== undefined) return maxTotal
  if (request !== undefined) return decimal(request.cap)
  throw new Failure('usage', `--max-total is missing: nobody has asked for a cap of the batch ${name} yet`, {
    field: '--max-total',
    fix: `orderctl batch approve ${quoteShellWord(name)} --max-total AMOUNT`,
  })
}

const refuseUseless = ({ batch, summary }: Summarized, { limits }: ApprovalState, cap: Decimal): void => {
  refuseCancelled(batch)
  const run = `orderctl batch run ${quoteShellWord(batch.name)}`
  if (summary.cards.open + summary.cards.unknown + summary.cards.failed === 0) {
    throw new Failure('usage', `nothing to approve: the batch ${batch.name} is complete (${summary.state})`, {
      fix: `orderctl batch show ${quoteShellWord(batch.name)}`,
    })
  }
  if (needsApproval(cap, limits)) return
  throw new Failure(
    'usage',
    `the batch ${batch.name} needs no approval for a cap of ${formatMoney(cap, batch.wallet)}`,
    { fix: `Anybody can run it: ${run} --max-total ${formatDecimal(cap)}` },
  )
}

/** The server refuses it, too. This is a clearer message, before the prompt. */
const refuseOwn = (batch: Batch, state: ApprovalState): void => {
  if (listBarredRoles(state).includes(state.ownRole)) throw createOwnFailure(batch, state)
}

type Question = {
  readonly opened: OpenedBatch
  readonly account: Account
  readonly summarized: Summarized
  readonly state: ApprovalState
  readonly cap: Decimal
  readonly options: ApproveOptions
}

const requireConsent = async (
  context: Context,
  { opened, account, summarized, state, cap, options }: Question,
): Promise<void> => {
  const { batch, batches } = opened
  if (options.needsYes) {
    throw new Failure('usage', 'batch approve needs --yes, because it cannot prompt', {
      field: '--yes',
      fix: 'Use --yes to approve without a prompt.',
    })
  }
  if (options.asks || options.output.format === 'screen') {
    const rows = (await batches.listRows(batch.number)).map((row) => ({ ...row, quote: decimal(row.quote) }))
    const faceValues = await findFaceValues(context, account, rows)
    const { requestScreen } = await import('./screen.ts')
    context.stderr.write(requestScreen(context, { ...summarized, faceValues, state, cap }))
  }
  if (!options.asks) return
  const amount = formatMoney(cap, batch.wallet)
  const question = `Approve the batch ${sanitize(batch.name)} up to ${amount} for ${formatDuration(options.forMs)}?`
  if (await context.confirm(question)) return
  throw interruption(context.interrupted, 'the batch was not approved; nothing has changed')
}
