// The steps of `orderctl batch cancel`. The command changes only the journal.

import { canPrompt, createPromptFailure, writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { zero } from '../contract/money/decimal.ts'
import { Failure, interruption } from '../errors.ts'
import { readApproval } from '../journal/batches/approvals.ts'
import { recordCancel } from '../journal/batches/batches.ts'
import { cancelWanted } from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { withBatch } from './open-batch.ts'
import { printBatch } from './print-batch.ts'
import { batchFields, nameBuyer } from './screens/batches.ts'
import type { CancelOptions } from './spec.ts'
import { type OpenedBatch, summarizeBatch } from './summary.ts'

export const cancelBatch = (context: Context, options: CancelOptions): Promise<void> =>
  withBatch(context, options, 'openOrCreate', async (opened) => {
    const { journal, batch } = opened
    if (batch.cancelledAt === undefined) await askToCancel(context, opened, options)
    else writeNote(context, `The batch ${sanitize(batch.name)} was already cancelled\n`)
    await recordCancel(journal, batch.number, context.clock.now())
    // Also for a cancelled batch: an unknown order may have expired since.
    await cancelWanted(journal, batch.number)
    await printBatch(context, opened, options, { fields: batchFields })
  })

/** Throws if there is nothing to cancel, or if the user refuses. In a script, the command itself is the consent. */
const askToCancel = async (
  context: Context,
  opened: OpenedBatch,
  { yes, noInput }: CancelOptions,
): Promise<void> => {
  const { batch, summary } = await summarizeBatch(opened)
  const { cards, spent } = summary
  const name = sanitize(batch.name)
  if (cards.open + cards.unknown === 0) {
    throw new Failure('usage', `nothing to cancel: the batch ${name} is complete (${summary.state})`, {
      fix: (suggest) => suggest`batch show ${name}`,
    })
  }
  if (yes || !context.stdin.isTerminal) return
  const state = await readApproval(opened.journal.read, batch)
  const planner = state?.plannedBy === state?.ownRole ? undefined : state?.plannedBy
  const buyers = (await listBuyers(opened.journal.read, batch.number)).filter(
    ({ until }) => until !== undefined,
  )
  const isBought = spent.gt(zero) || cards.delivered + cards.unknown > 0
  if (!isBought && planner === undefined && buyers.length === 0) return
  if (!canPrompt(context, { noInput })) throw createPromptFailure('batch cancel', 'cancel')
  const names = buyers.map(nameBuyer).join(', ')
  const question =
    `Cancel the batch ${name}${planner === undefined ? '' : ` of ${sanitize(planner)}`}? ` +
    `${names === '' ? '' : `It is being bought now: ${names}. `}${cards.delivered} of ${cards.ordered} cards are delivered. ` +
    'Confirmed orders keep their cards.'
  if (!(await context.askYesNo(question)))
    throw interruption(context.interrupted, 'the batch was not cancelled; nothing has changed')
}
