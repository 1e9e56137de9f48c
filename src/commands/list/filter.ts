// What the flags of `orderctl list` select in the journal.

import { isSandboxInUse } from '../../app/account.ts'
import { findListedBatches } from '../../app/journal/listed-orders.ts'
import { writeNote } from '../../app/notes.ts'
import { readProfiles } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { findActorNumbers, findOwnNumbers, listActorNames } from '../../journal/actors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Filter, listOrders } from '../../journal/orders/list-orders.ts'
import { mentionsJournal } from '../../profiles/folder.ts'
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
    isSandbox: await chooseSandbox(context, journal, options, batches),
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

/**
 * A table never mixes sandbox and real orders. Without --profile, the profile in use decides which are listed. With
 * --batch, the newest batch of that name decides.
 */
const chooseSandbox = async (
  context: Context,
  journal: Journal,
  { profile, reveals }: ListOptions,
  batches: Filter['batches'],
): Promise<boolean | undefined> => {
  if (profile !== undefined || reveals) return undefined
  if ((await listOrders(journal.read, { profile: 'sandbox', limit: 1 })).length === 0) return undefined
  if (batches !== undefined)
    return (await listOrders(journal.read, { batches, limit: 1 }))[0]?.profile === 'sandbox'
  // Loaded only now, because most journals have no order of the sandbox.
  return isSandboxInUse(context)
}

/**
 * The profile of the newest hidden order: a real one if sandbox orders are listed, or the reverse. If nothing is listed
 * while the sandbox is in use, a profile with a shared journal.
 */
export const findHiddenProfile = async (
  context: Context,
  journal: Journal,
  { isSandbox, batches, profile }: Filter,
  isEmpty: boolean,
): Promise<string | undefined> => {
  if (isSandbox !== undefined) {
    const [hidden] = await listOrders(journal.read, { isSandbox: !isSandbox, batches, limit: 1 })
    return hidden?.profile
  }
  const hasOther = isEmpty && profile === undefined && mentionsJournal(context)
  if (!hasOther || !(await isSandboxInUse(context))) return undefined
  return readProfiles(context).find((each) => each.journal !== undefined)?.name
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
