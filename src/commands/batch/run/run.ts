// The steps of `orderctl batch run`: options → plan or saved batch → consent → bought → shown.
import type { Context } from '../../../context.ts'
import type { Decimal } from '../../../contract/decimal.ts'
import { openBatches } from '../../../journal/batches/open-batches.ts'
import { createCounter } from '../../../operations/batch/batch-run.ts'
import { createPace } from '../../../operations/batch/pace.ts'
import { summarizeBatch } from '../../../operations/batch/summary.ts'
import { warnOfShortLived } from '../../shared/journal/short-lived.ts'
import { writeNote } from '../../shared/notes.ts'
import { outputOf, sessionOf } from '../../shared/options.ts'
import { preloadOutput } from '../../shared/output/preload-output.ts'
import { accountOf, openSession, openToSend, printAccount } from '../../shared/session.ts'
import { planInputOf } from '../read-plan.ts'
import type { RunOptions } from '../spec.ts'
import { buyBatch } from './buy-batch.ts'
import { refuseCancelled } from './cancelled-failure.ts'
import { askForCap, refuseSamePlan } from './consent.ts'
import { joinBatch } from './join-batch.ts'
import { reportEnd } from './report-end.ts'
import { collectLate, wantFailedAgain } from './retry-failed.ts'
import { findOrSaveBatch, readRunInput } from './run-input.ts'

/** Returns the exit code. */
export const runBatch = async (context: Context, options: RunOptions): Promise<number> => {
  const { clock, random } = context
  const { worker: isWorker, retryFailed: retriesFailed, waitApproval: waitMs } = options
  const planInput = planInputOf(options, { path: 'batch run', files: 'a file, a batch' })
  const output = outputOf(options)
  const account = await accountOf(context, options)
  const input = await readRunInput(context, account, { ...planInput, worker: isWorker })
  const pace = createPace({ max: options.parallel, clock, random })
  const session = await openSession(context, sessionOf(options), account, pace.observe)
  try {
    printAccount(context, account)
    warnOfShortLived(context, account, session.journals.place)
    const deps = await openToSend(context, session, { spends: true })
    const batches = openBatches(deps.journal)
    await preloadOutput(output, { isWatched: false })
    await import('../screen.ts')

    const batch = await findOrSaveBatch(context, batches, deps.owner, input)
    refuseCancelled(batch)
    const opened = { journal: deps.journal, batches, batch }
    if (retriesFailed) await collectLate(context, deps, opened)
    const summary = await summarizeBatch(batches, batch)
    const { open, unknown, failed } = summary.cards
    if (retriesFailed && failed === 0) writeNote(context, 'No failed cards\n')
    if (open + unknown + (retriesFailed ? failed : 0) === 0) {
      return await reportEnd(context, opened, { output })
    }
    const counter = createCounter()
    const purchase = { deps, batches, batch, pace, output, counter }
    const { place } = session.journals
    if (isWorker) {
      const { cap, stopped: reason } = await joinBatch(context, opened, summary)
      const end =
        reason === undefined
          ? await buyBatch(context, session, { ...purchase, cap, start: undefined })
          : ({ kind: 'stopped', reason } as const)
      return await reportEnd(context, opened, { output, end, bought: { counter, place } })
    }
    const refuseSame = await refuseSamePlan(context, batches, batch, options)
    const findApproval = async (cap: Decimal) =>
      place.kind === 'file'
        ? undefined
        : (await import('../approval/await-approval.ts')).awaitApproval(context, { ...opened, cap, waitMs })
    // A batch that waits for its approval prompts first, because nobody may be there later.
    const checkCap = async (cap: Decimal): Promise<void> =>
      waitMs === undefined ? void (await findApproval(cap)) : undefined
    const cap = await askForCap(context, batch, summary, { ...options, checkCap })
    const checkApproval = await findApproval(cap)
    // Not before the consent: a later run would buy the cards although the user refused.
    if (retriesFailed) await wantFailedAgain(context, batches, batch)
    const end = await buyBatch(context, session, { ...purchase, cap, start: { refuseSame, checkApproval } })
    return await reportEnd(context, opened, { output, end, bought: { counter, place } })
  } finally {
    await session.close()
  }
}
