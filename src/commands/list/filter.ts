// What the flags of `orderctl list` select in the journal.

import { chooseSandbox, findListedBatches } from '../../app/journal/listed-orders.ts'
import { writeNote } from '../../app/notes.ts'
import type { Context } from '../../context.ts'
import { findActorNumbers, findOwnNumbers, listActorNames } from '../../journal/actors.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter } from '../../journal/orders/list-orders.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { ListOptions } from './spec.ts'

export const createFilter = async (
  context: Context,
  journal: Journal,
  options: ListOptions,
): Promise<Filter> => {
  const { profile, state, reference, since, until, unfinished, all, limit } = options
  const batches = await findListedBatches(journal, options)
  return {
    profile,
    isSandbox: options.reveals ? undefined : await chooseSandbox(context, journal, { profile, batches }),
    state,
    reference,
    since: since?.from,
    until: until?.until,
    unfinished,
    hidesAttempts: !all && state === undefined && !unfinished,
    actors: await findActors(journal, options),
    batches,
    limit,
  }
}

/** Whether a flag selects some of the orders. */
export const isSelection = (options: ListOptions): boolean => {
  const { profile, state, reference, since, until, batch, by, mine, unfinished } = options
  const texts = [profile, state, reference, since, until, batch, by]
  return mine || unfinished || texts.some((each) => each !== undefined)
}

/** The numbers of the actors that --by and --mine select. */
const findActors = async (
  journal: Journal,
  { by, mine }: ListOptions,
): Promise<readonly number[] | undefined> => {
  if (by === undefined && !mine) return undefined
  const own = mine ? await findOwnNumbers(journal.read) : undefined
  if (by === undefined) return own
  const named = await findActorNumbers(journal.read, by)
  return own === undefined ? named : named.filter((number) => own.includes(number))
}

const maxNames = 20

/** If nobody has the name of --by, prints the names that the journal knows. */
export const printKnownNames = async (
  { stderr }: Pick<Context, 'stderr'>,
  journal: Journal,
  { by }: ListOptions,
): Promise<void> => {
  if (by === undefined) return
  if ((await findActorNumbers(journal.read, by)).length > 0) return
  const names = await listActorNames(journal.read, maxNames + 1)
  if (names.length === 0) return
  const listed = names.slice(0, maxNames).map(sanitize).join(', ')
  writeNote({ stderr }, `Users in this journal: ${listed}${names.length > maxNames ? ', …' : ''}\n`)
}
