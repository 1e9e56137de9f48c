// The failures of a batch that was cancelled, or whose plan was replaced.
import { zero } from '../../contract/money/decimal.ts'
import { formatUtcTime } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Actor } from '../../journal/accounts.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { nameActor } from '../../text/actor-name.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { formatSpentOf } from './screens/batches.ts'

export const refuseCancelled = (batch: Batch): void => {
  if (batch.cancelledAt !== undefined) throw createCancelledFailure(batch)
}

/** Nothing was sent. */
export const createCancelledFailure = ({ name }: Batch): Failure =>
  new Failure('batch-cancelled', `the batch ${name} is cancelled; nothing was sent`, {
    advice: 'Put the rows that were not delivered into a file, and run it with another --name.',
  })

/** Nothing was sent. */
export const createReplacedFailure = ({ name }: Batch): Failure =>
  new Failure('batch-changed', `the plan of the batch ${name} was replaced; nothing was sent`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })

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
