// Finds the batch that an argument names, and opens it from the journal alone: no key is needed and nothing is sent. Also the
// failures of a batch that was cancelled, or whose plan was replaced.

import { accountWithoutKey } from '../app/account.ts'
import { journalsOf, ownerOf } from '../app/journals.ts'
import type { SendingSession } from '../app/open-to-send.ts'
import type { Context } from '../context.ts'
import { zero } from '../contract/money/decimal.ts'
import { lastWord } from '../contract/order/reference.ts'
import { formatUtcTime } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../journal/accounts.ts'
import { type Batch, findBatches, findBatchesOnAnyAccount, getBatch } from '../journal/batches/batches.ts'
import type { Journal } from '../journal/journal.ts'
import type { Owner } from '../journal/orders/entries.ts'
import type { Account } from '../profiles/account.ts'
import { nameActor } from '../text/words.ts'
import { describeCount } from '../ui/text/formats.ts'
import { formatSpentOf } from './screens/batches.ts'
import type { RunOptions, ShowOptions } from './spec.ts'
import type { BatchSummary, OpenedBatch } from './summary.ts'

/** What the steps of `batch run` share. */
export type BatchToRun = OpenedBatch & {
  readonly context: Context
  readonly options: RunOptions
  readonly session: SendingSession
}

export const withBatch = async <Result>(
  context: Context,
  { batch: named, profile, noInput }: Pick<ShowOptions, 'batch' | 'profile' | 'noInput'>,
  open: 'openExisting' | 'openOrCreate',
  work: (opened: OpenedBatch, account: Account) => Promise<Result>,
): Promise<Result> => {
  const account = await accountWithoutKey(context, profile)
  await using journals = journalsOf(context, account, { noInput })
  const journal = await journals[open]()
  const owner = ownerOf(account)
  return await work({ journal, batch: await findBatch(journal, owner, named) }, account)
}

export const findBatch = async (
  journal: Journal,
  { account, profile }: Owner,
  text: string,
  createMissing = (text: string, profile: string): Failure =>
    new Failure('usage', describeMissing(text, profile), { fix: (suggest) => suggest`batch list` }),
): Promise<Batch> => {
  const found = await findBatches(journal.read, account, text)
  if (found.length > 1) {
    const names = found.map(({ name }) => name)
    throw new Failure('usage', `${text} matches ${names.length} batches: ${names.join(', ')}`, {
      advice: 'Give the name of one batch.',
    })
  }
  const [batch] = found
  if (batch !== undefined) return batch
  const [elsewhere] = await findBatchesOnAnyAccount(journal.read, text)
  if (elsewhere === undefined) throw createMissing(text, profile)
  const { profile: other, origin } = elsewhere
  throw new Failure('usage', `the batch ${text} belongs to the profile ${other} at ${origin}`, {
    advice: (suggest) =>
      other === profile
        ? 'Use the address with which you planned the batch.'
        : `Add ${suggest.flags({ profile: other })}`,
  })
}

export const describeMissing = (text: string, profile: string): string =>
  `${text === lastWord ? 'you planned no batch' : `no batch '${text}'`} in this journal for the profile ${profile}`

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
