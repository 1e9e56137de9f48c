// Candidates from the batches of the journal: their names.
import type { Context } from '../../context.ts'
import { lastWord } from '../../contract/order-words.ts'
import type { RecentBatch } from '../../journal/read-only.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { type Asked, queryAccount, queryListed, typedValue } from './journal-reader.ts'

/** The commands that cannot use a cancelled batch. */
const needsOpenBatch = new Set(['batch run', 'batch approve', 'batch cancel'])

const stateOf = ({ startedAt, cancelledAt, isStopped }: RecentBatch): string => {
  if (cancelledAt !== undefined) return 'cancelled'
  if (startedAt === undefined) return 'planned'
  return isStopped ? 'stopped' : 'started'
}

const describeBatch = (batch: RecentBatch, { clock }: Context, name?: string): string =>
  [stateOf(batch), formatRelative(batch.startedAt ?? batch.plannedAt, clock.now()), name]
    .filter((part) => part !== undefined)
    .join(', ')

const readOfAccount = (asked: Asked): Promise<readonly RecentBatch[]> =>
  queryAccount(asked, (read, { readNewestBatches }, owner) => readNewestBatches(read, owner))

/** `@last` and the names of the account in use; newest first. */
export const findBatches = async (asked: Asked): Promise<Candidate[]> => {
  const { context, line } = asked
  const all = await readOfAccount(asked)
  const usable = all.filter((batch) => !needsOpenBatch.has(line.path) || stateOf(batch) !== 'cancelled')
  const last = all.find(({ isOwn }) => isOwn)
  return [
    ...(last !== undefined && usable.includes(last)
      ? [{ value: lastWord, description: describeBatch(last, context, last.name) }]
      : []),
    ...usable.map((batch) => ({ value: batch.name, description: describeBatch(batch, context) })),
  ]
}

/** Names of the batches that `list` shows: those of every account, or of the given profile. */
export const findListedBatches = async (asked: Asked): Promise<Candidate[]> => {
  const profile = typedValue(asked.line, '--profile')
  const all = await queryListed(asked, (read, { readNewestBatches }) => readNewestBatches(read, { profile }))
  return all.map((batch) => ({ value: batch.name, description: describeBatch(batch, asked.context) }))
}

const prefix = 'batch:'
/** Orders matter more than batches. */
const maxBesideOrders = 20

/** `batch:NAME`, for the commands that take several orders. */
export const findBatchWords = async (asked: Asked): Promise<Candidate[]> => {
  const { word, path, operands } = asked.line
  const isOffered = prefix.startsWith(word) || word.startsWith(prefix)
  if (!isOffered || !['get', 'watch', 'reconcile'].includes(path)) return []
  return (await readOfAccount(asked))
    .filter(({ startedAt }) => startedAt !== undefined)
    .map((batch) => ({ value: `${prefix}${batch.name}`, description: describeBatch(batch, asked.context) }))
    .filter(({ value }) => value.startsWith(word) && !operands.includes(value))
    .slice(0, maxBesideOrders)
}
